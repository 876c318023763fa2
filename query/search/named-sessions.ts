import { isAbsolute } from "node:path";
import { expandPath } from "../../src/session/locations.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { prefixUpperBound } from "../../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { collapseCopies } from "../copies.ts";
import { parseQuery } from "../parse-query.ts";
import { allOf } from "../sql-conditions.ts";
import { findEntries, type HitConditions, textConditions } from "./hits.ts";
import type { HitWithCopies } from "./rank.ts";

/** Maximum number of sessions that an id prefix matches, newest first. */
const MAX_NAMED = 20;
/** Maximum number of copies of an entry. */
const MAX_COPIES = 500;
/** Minimum length of an id prefix; shorter ones are more likely words. */
const MIN_ID = 6;
/** Longer queries do not name sessions. */
const MAX_WORDS = 8;
const MAX_NAMING_LENGTH = 20_000;

type Condition = Sql<SqlBool>;

/** What a query may name: its whole text, if that is a path with spaces, and words that are paths or ids. */
export interface Names {
  whole?: string;
  words: string[];
}

/** The sessions that may be named, and the condition that their entries must satisfy. */
interface Lookup {
  db: Reader;
  inScope: Condition;
  condition: Condition;
}

/** Returns what a query may name; undefined if nothing, which is the case for most queries. */
export function extractNames(query: string): Names | undefined {
  const text = query.trim();
  const whole = bare(text);
  const terms = text.length > MAX_NAMING_LENGTH ? [] : parseQuery(text, { lenient: true }).terms;
  const words = terms.flatMap(({ term, excluded }) =>
    term.kind === "text" && !excluded ? [bare(term.text)] : [],
  );
  // Among other words, only a UUID, which cannot be a word.
  const mayName = (word: string) =>
    isPathLike(word) || UUID.test(word) || (words.length === 1 && /[\d._-]/.test(word));
  const names: Names = { words: words.length > MAX_WORDS ? [] : words.filter(mayName) };
  if (isPathLike(whole) && /\s/.test(whole)) names.whole = whole;
  return names.whole === undefined && names.words.length === 0 ? undefined : names;
}

/**
 * Finds the sessions that a query names: by an id or its prefix, an entry's id, or the path or name of a file. For each
 * session, returns the named entry, else the first user entry that satisfies the conditions, else the first entry that does.
 *
 * @param hitConditions further conditions: the fields and exclusions of the query
 */
export async function findNamedSessions(
  db: Reader,
  inScope: Condition,
  { whole, words }: Names,
  hitConditions: HitConditions,
): Promise<HitWithCopies[]> {
  const condition = allOf([...hitConditions.conditions, ...textConditions(hitConditions)]);
  const lookup = { db, inScope, condition };
  const found = whole === undefined ? [] : await findByPath(lookup, whole);
  if (found.length > 0) return found;
  for (const word of words) {
    for (const hit of await (isPathLike(word) ? findByPath(lookup, word) : findById(lookup, word))) {
      if (!found.some(({ row }) => row.file_id === hit.row.file_id)) found.push(hit);
    }
  }
  return found;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CITATION = /^(.*\.jsonl)(?::(\d+))?(?:#.*)?$/;

/** Strips quotes and surrounding punctuation. */
function bare(word: string): string {
  return word.replace(/^[("“<[]+|[)"”>\],;.*]+$/g, "");
}

function isPathLike(name: string): boolean {
  return CITATION.test(name);
}

function findByPath(lookup: Lookup, name: string): Promise<HitWithCopies[]> {
  const [, path = "", line] = CITATION.exec(name) ?? [];
  const ends = (sign: string) =>
    sql<SqlBool>`file.path LIKE ${`%${sign}${path.replaceAll(/[!%_]/g, "!$&")}`} ESCAPE '!'`;
  const isFile =
    isAbsolute(path) || path.startsWith("~")
      ? sql<SqlBool>`file.path = ${expandPath(path)}`
      : sql<SqlBool>`(${ends("/")} OR ${ends("\\")})`;
  return findFirstEntries(lookup, isFile, line === undefined ? undefined : Number(line));
}

async function findById(lookup: Lookup, name: string): Promise<HitWithCopies[]> {
  if (!/^[\w.:-]+$/.test(name)) return [];
  const cases = [...new Set([name, name.toLowerCase(), name.toUpperCase()])];
  const exact = await findFirstEntries(lookup, sql`session.id IN ${sql.list(cases)}`);
  if (exact.length > 0) return exact;
  if (name.length < MIN_ID || !/\d/.test(name)) return [];
  const begins = cases.map(
    (each) => sql<SqlBool>`(session.id >= ${each} AND session.id < ${prefixUpperBound(each)})`,
  );
  const begun = await findFirstEntries(lookup, sql`(${sql.join(begins, sql` OR `)})`);
  return begun.length > 0 ? begun : findEntriesById(lookup, cases);
}

/** For each matching session, the entry on a line, or its first user entry. */
async function findFirstEntries(
  { db, inScope, condition }: Lookup,
  isMeant: Sql<unknown>,
  line = -1,
): Promise<HitWithCopies[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM (
      SELECT session.modified, (
        SELECT entry.id FROM entry WHERE entry.file_id = file.id AND ${condition}
        ORDER BY entry.line = ${line} DESC, coalesce(entry.role, '') = 'user' DESC, entry.line LIMIT 1) AS id
      FROM file JOIN session ON session.file_id = file.id
      WHERE ${inScope} AND ${isMeant})
    WHERE id IS NOT NULL ORDER BY modified DESC LIMIT ${sql.lit(MAX_NAMED)}`.execute(db);
  const ids = rows.map(({ id }) => id);
  const entries = await findEntries(db, sql`entry.id IN ${sql.list(ids)}`, MAX_NAMED);
  return entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map((row) => ({ row, copies: [] }));
}

/** Entries by id, copies of forks merged. */
async function findEntriesById(
  { db, inScope, condition }: Lookup,
  ids: readonly string[],
): Promise<HitWithCopies[]> {
  const isMeant = sql<SqlBool>`entry.entry_id IN ${sql.list(ids)}`;
  const rows = await findEntries(db, allOf([isMeant, inScope, condition]), MAX_COPIES + 1);
  if (rows.length > MAX_COPIES) return [];
  const hits = collapseCopies(rows);
  // An id that many sessions share, as in version 1, identifies none of them.
  return hits.length > MAX_NAMED ? [] : hits;
}
