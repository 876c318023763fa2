import { getOrInsert } from "../../src/get-or-insert.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import type { FacetCount, Facets } from "../answers.ts";
import type { WithCopies } from "../copies.ts";
import type { MatchRow } from "./hits.ts";

/** A hit and its copies. */
type PlacedHit = WithCopies<MatchRow>;

/**
 * Counts hits by project, model, role, tool, month and day. A hit counts for each value that one of its copies has, so
 * that each number equals the number of hits with that value as a filter.
 */
export async function countFacets(db: Reader, hits: readonly PlacedHit[]): Promise<Facets> {
  const rows = hits.flatMap(({ row, copies }) => [row, ...copies]);
  const files = sql.list(new Set(rows.map(({ file_id }) => file_id)));
  const projects = await valuesById(
    db,
    sql`SELECT session.file_id AS id, session.cwd AS value FROM session
      WHERE session.file_id IN ${files} AND session.cwd <> ''`,
  );
  const models = await valuesById(
    db,
    sql`SELECT file_id AS id, provider || '/' || model AS value FROM session_model
      WHERE file_id IN ${files} AND provider || model <> ''`,
  );
  const among = amongIds(rows.map(({ id }) => id));
  const tools = await valuesById(
    db,
    sql`SELECT entry AS id, name AS value FROM tool_call WHERE ${among(sql`entry`)}
      UNION ALL SELECT id, tool FROM entry WHERE ${among(sql`id`)} AND tool IS NOT NULL`,
  );
  const dayAt = localDays();
  const days = count(hits, ({ timestamp }) => dayAt(timestamp)).sort(newestFirst);
  return {
    projects: count(hits, ({ file_id }) => projects.get(file_id)),
    models: count(hits, ({ file_id }) => models.get(file_id)),
    roles: count(hits, ({ role }) => (role === null ? undefined : [role])),
    tools: count(hits, ({ id }) => tools.get(id)),
    months: monthsOf(days),
    days,
  };
}

/** Minimum fraction of hits in an id range for which the whole range is read: that takes a third of the time. */
const DENSE = 0.25;

/** A condition that selects the ids, and possibly others in their range. */
function amongIds(ids: readonly number[]): (column: Sql<number>) => Sql<SqlBool> {
  const first = ids.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = ids.reduce((a, b) => Math.max(a, b), 0);
  if (ids.length > DENSE * (last - first)) return (column) => sql`${column} BETWEEN ${first} AND ${last}`;
  const list = sql.list(ids);
  return (column) => sql`${column} IN ${list}`;
}

/** Adds up days: copies have the same time as their entry, so each hit belongs to one day and one month. */
function monthsOf(days: readonly FacetCount[]): FacetCount[] {
  const months = new Map<string, number>();
  for (const { value, hits } of days) {
    const month = value.slice(0, value.lastIndexOf("-"));
    months.set(month, (months.get(month) ?? 0) + hits);
  }
  return [...months].map(([value, hits]) => ({ value, hits }));
}

function newestFirst(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

async function valuesById(db: Reader, query: ReturnType<typeof sql>): Promise<Map<number, string[]>> {
  const { rows } = await (query as ReturnType<typeof sql<{ id: number; value: string }>>).execute(db);
  const values = new Map<number, string[]>();
  for (const { id, value } of rows) {
    const known = values.get(id);
    if (!known) values.set(id, [value]);
    else if (!known.includes(value)) known.push(value);
  }
  return values;
}

function count(
  hits: readonly PlacedHit[],
  getValues: (row: PlacedHit["row"]) => readonly string[] | undefined,
): FacetCount[] {
  const counts = new Map<string, number>();
  for (const { row, copies } of hits) {
    const own = getValues(row);
    // There may be hundreds of thousands of hits, and nearly all have no copies.
    const values =
      copies.length === 0
        ? own
        : new Set([...(own ?? []), ...copies.flatMap((place) => getValues(place) ?? [])]);
    for (const value of values ?? []) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, hits]) => ({ value, hits }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** In every time zone, days begin at a multiple of this. */
const TIME_BUCKET_MS = 15 * 60_000;

/**
 * Returns a function from a time to its local day, as `since:` and `until:` accept it; undefined for times without a valid
 * date.
 */
function localDays(): (timestamp: number | null) => readonly string[] | undefined {
  const known = new Map<number, readonly string[] | undefined>();
  return (timestamp) => {
    if (timestamp === null) return undefined;
    const bucket = Math.floor(timestamp / TIME_BUCKET_MS);
    return getOrInsert(known, bucket, () => toLocalDay(new Date(bucket * TIME_BUCKET_MS)));
  };
}

function toLocalDay(date: Date): readonly string[] | undefined {
  if (Number.isNaN(date.getTime())) return undefined;
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return [`${date.getFullYear()}-${month}-${day}`];
}
