import { isAbsolute } from "node:path";
import type { Reader } from "../../src/database/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/database/sql.ts";
import { expandPath } from "../../src/session/locations.ts";
import { allOf } from "../filter.ts";
import { endOfPrefix, inScope, type Scope } from "../scope.ts";
import { entriesWhere, type HitRow } from "./hits.ts";

/** Sessions that the beginning of an id may name; more are as many as have it by chance. */
const MAX_NAMED = 5;
/** A shorter beginning of an id is rather a word. */
const MIN_ID = 6;
const MAX_WORDS = 8;

/**
 * Finds the sessions that a query names: by an id, the beginning of one, an entry's id, the path of a file or its name.
 * Of each the entry that was named, or the first of its user's.
 */
export async function findNamed(db: Reader, scope: Scope, query: string): Promise<HitRow[]> {
  const words = query.trim().split(/\s+/, MAX_WORDS + 1);
  if (words.length > MAX_WORDS) return [];
  const rows: HitRow[] = [];
  for (const word of words) {
    if (FIELD.test(word)) continue;
    const name = word.replace(/^["“]|["”]?\*?$/g, "");
    // Among other words, only what cannot be a word.
    if (words.length > 1 && !isPathLike(name) && !UUID.test(name)) continue;
    for (const row of await named(db, scope, name)) {
      if (!rows.some(({ file_id }) => file_id === row.file_id)) rows.push(row);
    }
  }
  return rows;
}

/** A field narrows what is found, and names nothing. */
const FIELD = /^-?[a-z]{3,12}:/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isPathLike(name: string): boolean {
  return /\.jsonl(?::\d+)?(?:#.*)?$/.test(name);
}

async function named(db: Reader, scope: Scope, name: string): Promise<HitRow[]> {
  if (isPathLike(name)) {
    const [, path = "", line] = /^(.*\.jsonl)(?::(\d+))?(?:#.*)?$/.exec(name) ?? [];
    const isFile =
      isAbsolute(path) || path.startsWith("~")
        ? sql<SqlBool>`file.path = ${expandPath(path)}`
        : sql<SqlBool>`(file.path LIKE ${`%/${escaped(path)}`} ESCAPE '!' OR file.path LIKE ${`%\\${escaped(path)}`} ESCAPE '!')`;
    return firstEntries(db, sql`${inScope(scope)} AND ${isFile}`, line ? Number(line) : undefined);
  }
  if (!/^[\w.:-]+$/.test(name)) return [];
  const exact = await firstEntries(db, sql`${inScope(scope)} AND session.id = ${name}`);
  if (exact.length > 0) return exact;
  if (name.length < MIN_ID || !/\d/.test(name)) return [];
  const small = name.toLowerCase();
  const begins = sql<SqlBool>`session.id >= ${small} AND session.id < ${endOfPrefix(small)}`;
  const begun = await firstEntries(db, sql`${inScope(scope)} AND ${begins}`);
  if (begun.length > 0) return begun.length > MAX_NAMED ? [] : begun;
  const ids = [name, small];
  const entries = await entriesWhere(
    db,
    sql`entry.entry_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${inScope(scope)}`,
    MAX_NAMED + 1,
  );
  // Many sessions have it: not an id by which anybody means one of them.
  return entries.length > MAX_NAMED ? [] : entries;
}

/** Of each session that meets a condition an entry that shows it: on a line, or the first of its user's. */
async function firstEntries(db: Reader, condition: Sql<unknown>, line?: number): Promise<HitRow[]> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT coalesce(
      (SELECT entry.id FROM entry WHERE entry.file_id = file.id AND entry.line = ${line ?? -1}),
      (SELECT entry.id FROM entry WHERE entry.file_id = file.id AND entry.role = 'user' ORDER BY entry.line LIMIT 1),
      (SELECT min(entry.id) FROM entry WHERE entry.file_id = file.id)) AS id
    FROM file JOIN session ON session.file_id = file.id
    WHERE ${condition} ORDER BY session.modified DESC LIMIT ${sql.lit(MAX_NAMED + 1)}`.execute(db);
  const ids = JSON.stringify(rows.flatMap(({ id }) => id ?? []));
  return entriesWhere(
    db,
    allOf([sql<SqlBool>`entry.id IN (SELECT value FROM json_each(${ids}))`]),
    MAX_NAMED + 1,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[!%_]/g, "!$&");
}
