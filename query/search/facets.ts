import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import type { FacetCount, Facets } from "../answers.ts";
import type { WithCopies } from "../copies.ts";
import type { MatchRow } from "./hits.ts";

/** A hit at all of its places. */
type PlacedHit = WithCopies<MatchRow>;

/**
 * Counts hits by project, model, role, tool, month and day. A hit counts for each value that one of its places has, so
 * that each number is what the search finds with that value asked for as well.
 */
export async function countFacets(db: Reader, hits: readonly PlacedHit[]): Promise<Facets> {
  const rows = hits.flatMap(({ row, copies }) => [row, ...copies]);
  const files = JSON.stringify([...new Set(rows.map(({ file_id }) => file_id))]);
  const projects = await valuesBy(
    db,
    sql`SELECT session.file_id AS id, session.cwd AS value FROM session
      WHERE session.file_id IN (SELECT value FROM json_each(${files})) AND session.cwd <> ''`,
  );
  const models = await valuesBy(
    db,
    sql`SELECT file_id AS id, provider || '/' || model AS value FROM session_model
      WHERE file_id IN (SELECT value FROM json_each(${files})) AND provider || model <> ''`,
  );
  const among = amongIds(rows.map(({ id }) => id));
  const tools = await valuesBy(
    db,
    sql`SELECT entry AS id, name AS value FROM tool_call WHERE ${among(sql`entry`)}
      UNION ALL SELECT id, tool FROM entry WHERE ${among(sql`id`)} AND tool IS NOT NULL`,
  );
  const dayAt = daysOf();
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

/** Of hits that are this part of the entries between the first and the last, all of those are looked up: a third of the time. */
const DENSE = 0.25;

/** The condition that a column is one of some ids, or at least among them. */
function amongIds(ids: readonly number[]): (column: Sql<number>) => Sql<SqlBool> {
  const first = ids.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = ids.reduce((a, b) => Math.max(a, b), 0);
  if (ids.length > DENSE * (last - first)) return (column) => sql`${column} BETWEEN ${first} AND ${last}`;
  const list = JSON.stringify(ids);
  return (column) => sql`${column} IN (SELECT value FROM json_each(${list}))`;
}

/** Copies have the time of their entry: each hit is of one day, and of one month. */
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

async function valuesBy(db: Reader, query: ReturnType<typeof sql>): Promise<Map<number, string[]>> {
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
  valuesOf: (row: PlacedHit["row"]) => readonly string[] | undefined,
): FacetCount[] {
  const counts = new Map<string, number>();
  for (const { row, copies } of hits) {
    const own = valuesOf(row);
    // There may be hundreds of thousands of hits, and nearly all stand in one place alone.
    const values =
      copies.length === 0
        ? own
        : new Set([...(own ?? []), ...copies.flatMap((place) => valuesOf(place) ?? [])]);
    for (const value of values ?? []) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, hits]) => ({ value, hits }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** In every time zone, days begin at one of these. */
const QUARTER_MS = 15 * 60_000;

/** The day where the user is, as `since:` and `until:` take it; undefined for no time, or one no Date can hold. */
function daysOf(): (timestamp: number | null) => readonly string[] | undefined {
  const known = new Map<number, readonly string[] | undefined>();
  return (timestamp) => {
    if (timestamp === null) return undefined;
    const quarter = Math.floor(timestamp / QUARTER_MS);
    if (!known.has(quarter)) known.set(quarter, dayOf(new Date(quarter * QUARTER_MS)));
    return known.get(quarter);
  };
}

function dayOf(date: Date): readonly string[] | undefined {
  if (Number.isNaN(date.getTime())) return undefined;
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return [`${date.getFullYear()}-${month}-${day}`];
}
