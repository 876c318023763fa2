import { isAbsolute } from "node:path";
import { expandPath } from "../../src/session/locations.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { collapseCopies } from "../copies.ts";
import { allOf } from "../filter.ts";
import { parseQuery } from "../parse-query.ts";
import { prefixUpperBound } from "../scope.ts";
import { findEntries, type HitConditions, textConditions } from "./hits.ts";
import type { HitWithCopies } from "./rank.ts";

/** Maximum number of sessions that an id prefix matches, newest first. */
const MAX_NAMED = 20;
/** Minimum length of an id prefix; shorter ones are more likely words. */
const MIN_ID = 6;
/** Longer queries do not name sessions. */
const MAX_WORDS = 8;
const MAX_NAMING_LENGTH = 20_000;

type Condition = Sql<SqlBool>;

/**
 * Finds the sessions that a query names: by an id or its prefix, an entry's id, or the path or name of a file. For each
 * session, returns the named entry, else the first user entry that satisfies the conditions, else the first entry that does.
 *
 * @param hitConditions further conditions: the fields and exclusions of the query
 */
export async function findNamedSessions(
  db: Reader,
  inScope: Condition,
  query: string,
  hitConditions: HitConditions,
): Promise<HitWithCopies[]> {
  const finder = new NamedFinder(
    db,
    inScope,
    allOf([...hitConditions.conditions, ...textConditions(hitConditions)]),
  );
  const text = query.trim();
  const whole = bare(text);
  if (isPathLike(whole) && /\s/.test(whole)) {
    const found = await finder.byPath(whole);
    if (found.length > 0) return found;
  }
  const names = namesIn(text);
  if (names.length > MAX_WORDS) return [];
  const found: HitWithCopies[] = [];
  for (const name of names) {
    const hits = isPathLike(name)
      ? await finder.byPath(name)
      : // Among other words, only a UUID, which cannot be a word.
        names.length === 1 || UUID.test(name)
        ? await finder.byId(name)
        : [];
    for (const hit of hits) {
      if (!found.some(({ row }) => row.file_id === hit.row.file_id)) found.push(hit);
    }
  }
  return found;
}

/** Whether a query may name a session. Runs no SQL, since most queries do not. */
export function mayNameSession(query: string): boolean {
  const text = query.trim();
  if (isPathLike(bare(text))) return true;
  const names = namesIn(text);
  if (names.length > MAX_WORDS) return false;
  return names.some(
    (name) => isPathLike(name) || UUID.test(name) || (names.length === 1 && /[\d._-]/.test(name)),
  );
}

/** Candidate names: words and phrases that are not excluded. */
function namesIn(query: string): string[] {
  if (query.length > MAX_NAMING_LENGTH) return [];
  const { terms } = parseQuery(query, { lenient: true });
  return terms.flatMap(({ term, excluded }) => (term.kind === "text" && !excluded ? [bare(term.text)] : []));
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

class NamedFinder {
  readonly #db: Reader;
  readonly #inScope: Condition;
  readonly #condition: Condition;

  constructor(db: Reader, inScope: Condition, condition: Condition) {
    this.#db = db;
    this.#inScope = inScope;
    this.#condition = condition;
  }

  byPath(name: string): Promise<HitWithCopies[]> {
    const [, path = "", line] = CITATION.exec(name) ?? [];
    const ends = (sign: string) =>
      sql<SqlBool>`file.path LIKE ${`%${sign}${path.replaceAll(/[!%_]/g, "!$&")}`} ESCAPE '!'`;
    const isFile =
      isAbsolute(path) || path.startsWith("~")
        ? sql<SqlBool>`file.path = ${expandPath(path)}`
        : sql<SqlBool>`(${ends("/")} OR ${ends("\\")})`;
    return this.#sessions(isFile, line === undefined ? undefined : Number(line));
  }

  async byId(name: string): Promise<HitWithCopies[]> {
    if (!/^[\w.:-]+$/.test(name)) return [];
    const cases = [...new Set([name, name.toLowerCase(), name.toUpperCase()])];
    const exact = await this.#sessions(sql`session.id IN ${sql.list(cases)}`);
    if (exact.length > 0) return exact;
    if (name.length < MIN_ID || !/\d/.test(name)) return [];
    const begins = cases.map(
      (each) => sql<SqlBool>`(session.id >= ${each} AND session.id < ${prefixUpperBound(each)})`,
    );
    const begun = await this.#sessions(sql`(${sql.join(begins, sql` OR `)})`);
    return begun.length > 0 ? begun : this.#entries(cases);
  }

  /** For each matching session, the entry on a line, or its first user entry. */
  async #sessions(isMeant: Sql<unknown>, line?: number): Promise<HitWithCopies[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM (
        SELECT session.modified, (
          SELECT entry.id FROM entry WHERE entry.file_id = file.id AND ${this.#condition}
          ORDER BY entry.line = ${line ?? -1} DESC, coalesce(entry.role, '') = 'user' DESC, entry.line LIMIT 1) AS id
        FROM file JOIN session ON session.file_id = file.id
        WHERE ${this.#inScope} AND ${isMeant})
      WHERE id IS NOT NULL ORDER BY modified DESC LIMIT ${sql.lit(MAX_NAMED)}`.execute(this.#db);
    const ids = rows.map(({ id }) => id);
    const entries = await findEntries(this.#db, sql`entry.id IN ${sql.list(ids)}`, MAX_NAMED);
    return entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map((row) => ({ row, copies: [] }));
  }

  /** Entries by id, copies of forks merged. */
  async #entries(ids: readonly string[]): Promise<HitWithCopies[]> {
    const isMeant = sql<SqlBool>`entry.entry_id IN ${sql.list(ids)}`;
    const rows = await findEntries(
      this.#db,
      allOf([isMeant, this.#inScope as Condition, this.#condition]),
      MAX_COPIES + 1,
    );
    if (rows.length > MAX_COPIES) return [];
    const hits = collapseCopies(rows);
    // An id that many sessions share, as in version 1, identifies none of them.
    return hits.length > MAX_NAMED ? [] : hits;
  }
}

/** Maximum number of copies of an entry. */
const MAX_COPIES = 500;
