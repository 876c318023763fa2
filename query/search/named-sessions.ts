import { isAbsolute } from "node:path";
import { isMachinePath } from "../../src/machine-path.ts";
import { expandPath } from "../../src/session/locations.ts";
import type { HitConditions, SessionCondition } from "../../src/store/conditions.ts";
import type { Position } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import { collapseCopies } from "../copies.ts";
import { isNamedPath, isRelativeToFolder, parseNamedPath, toBareName } from "../named-path.ts";
import { parseQuery } from "../parse-query.ts";
import { wholeRange } from "./ranges.ts";
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

/** What a query may name: its whole text, if that is a path with spaces, and words that are paths or ids. */
export interface Names {
  whole?: string;
  words: string[];
}

/** The conditions that the entries of named sessions must satisfy. */
interface Lookup {
  reads: SearchReads;
  conditions: HitConditions;
  end: Position;
}

/** Returns what a query may name; undefined if nothing, which is the case for most queries. */
export function extractNames(query: string): Names | undefined {
  const text = query.trim();
  const whole = toBareName(text);
  const terms = text.length > MAX_NAMING_LENGTH ? [] : parseQuery(text, { lenient: true }).terms;
  const words = terms.flatMap(({ term, excluded }) =>
    term.kind === "text" && !excluded ? [toBareName(term.text)] : [],
  );
  // Among other words, only a UUID, which cannot be a word.
  const mayName = (word: string) =>
    isNamedPath(word) || UUID.test(word) || (words.length === 1 && /[\d._-]/.test(word));
  const names: Names = { words: words.length > MAX_WORDS ? [] : words.filter(mayName) };
  if (isNamedPath(whole) && /\s/.test(whole)) names.whole = whole;
  return names.whole === undefined && names.words.length === 0 ? undefined : names;
}

/**
 * Finds the sessions that a query names: by an id or its prefix, an entry's id, or the path or name of a file. For each
 * session, returns the named entry, else the first user entry that satisfies the conditions, else the first entry that does.
 *
 * @param conditions further conditions: the fields and exclusions of the query
 * @param end later entries are not looked up by their ids
 */
export async function findNamedSessions(
  reads: SearchReads,
  { whole, words }: Names,
  conditions: HitConditions,
  end: Position,
): Promise<HitWithCopies[]> {
  const lookup = { reads, conditions, end };
  const found = whole === undefined ? [] : await findByPath(lookup, whole);
  if (found.length > 0) return found;
  for (const word of words) {
    for (const hit of await (isNamedPath(word) ? findByPath(lookup, word) : findById(lookup, word))) {
      if (!found.some(({ row }) => row.file_id === hit.row.file_id)) found.push(hit);
    }
  }
  return found;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function findByPath(lookup: Lookup, name: string): Promise<HitWithCopies[]> {
  const { path, line } = parseNamedPath(name);
  const isFile: SessionCondition =
    isAbsolute(path) || isRelativeToFolder(path) || isMachinePath(path)
      ? { kind: "path", path: expandPath(path) }
      : { kind: "pathEnd", end: path };
  return findFirstEntries(lookup, isFile, line);
}

async function findById(lookup: Lookup, name: string): Promise<HitWithCopies[]> {
  if (!/^[\w.:-]+$/.test(name)) return [];
  const cases = [...new Set([name, name.toLowerCase(), name.toUpperCase()])];
  const exact = await findFirstEntries(lookup, { kind: "id", ids: cases });
  if (exact.length > 0) return exact;
  if (name.length < MIN_ID || !/\d/.test(name)) return [];
  const begins = cases.map((prefix): SessionCondition => ({ kind: "idPrefix", prefix }));
  const begun = await findFirstEntries(lookup, { kind: "any", of: begins });
  return begun.length > 0 ? begun : findEntriesById(lookup, cases);
}

/** For each matching session, the entry on a line, or its first user entry. */
async function findFirstEntries(
  { reads, conditions }: Lookup,
  session: SessionCondition,
  line?: number,
): Promise<HitWithCopies[]> {
  const rows = await reads.findFirstEntries(session, conditions, MAX_NAMED, line);
  return rows.map((row) => ({ row, copies: [] }));
}

/** Entries by id, copies of forks merged. */
async function findEntriesById(
  { reads, conditions, end }: Lookup,
  ids: readonly string[],
): Promise<HitWithCopies[]> {
  const { rows, more } = await reads.findHits(
    { ...conditions, entry: [{ kind: "id", ids }, ...conditions.entry] },
    { size: MAX_COPIES, from: "newest", within: wholeRange(end) },
  );
  if (more) return [];
  const hits = collapseCopies(rows);
  // An id that many sessions share, as in version 1, identifies none of them.
  return hits.length > MAX_NAMED ? [] : hits;
}
