import type { Reader } from "../../src/database/reader.ts";
import { sql } from "../../src/database/sql.ts";
import type { FacetCount, Facets } from "../answers.ts";
import type { PlacedHit } from "./rank.ts";

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
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const tools = await valuesBy(
    db,
    sql`SELECT entry AS id, name AS value FROM tool_call WHERE entry IN (SELECT value FROM json_each(${ids}))
      UNION SELECT id, tool FROM entry
        WHERE id IN (SELECT value FROM json_each(${ids})) AND tool IS NOT NULL`,
  );
  const days = count(hits, ({ timestamp }) => dayOf(timestamp)).sort(newestFirst);
  return {
    projects: count(hits, ({ file_id }) => projects.get(file_id)),
    models: count(hits, ({ file_id }) => models.get(file_id)),
    roles: count(hits, ({ role }) => (role === null ? undefined : [role])),
    tools: count(hits, ({ id }) => tools.get(id)),
    months: count(hits, ({ timestamp }) => dayOf(timestamp)?.map((day) => day.slice(0, 7))).sort(newestFirst),
    days,
  };
}

function newestFirst(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

async function valuesBy(db: Reader, query: ReturnType<typeof sql>): Promise<Map<number, string[]>> {
  const { rows } = await (query as ReturnType<typeof sql<{ id: number; value: string }>>).execute(db);
  const values = new Map<number, string[]>();
  for (const { id, value } of rows) values.set(id, [...(values.get(id) ?? []), value]);
  return values;
}

function count(
  hits: readonly PlacedHit[],
  valuesOf: (row: PlacedHit["row"]) => readonly string[] | undefined,
): FacetCount[] {
  const counts = new Map<string, number>();
  for (const { row, copies } of hits) {
    const own = valuesOf(row) ?? [];
    const values = copies.length === 0 ? own : [...own, ...copies.flatMap((place) => valuesOf(place) ?? [])];
    for (const value of new Set(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, hits]) => ({ value, hits }))
    .sort((a, b) => b.hits - a.hits || (a.value < b.value ? -1 : 1));
}

/** The day where the user is, as `since:` and `until:` take it; undefined for no time, or one no Date can hold. */
function dayOf(timestamp: number | null): string[] | undefined {
  const date = new Date(timestamp ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return undefined;
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return [`${date.getFullYear()}-${month}-${day}`];
}
