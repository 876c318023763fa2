import { getOrInsert } from "../../src/get-or-insert.ts";
import type { MatchRow, SearchReads, ValueRow } from "../../src/store/search-reads.ts";
import type { FacetCount, Facets } from "../answers.ts";
import type { WithCopies } from "../copies.ts";

/** A hit and its copies. */
type PlacedHit = WithCopies<MatchRow>;

/**
 * Counts hits, and the sessions that have them, by project, model, role, tool, month and day. A hit counts for each value that one
 * of its copies has, so that each number equals the number of hits with that value as a filter.
 */
export async function countFacets(reads: SearchReads, hits: readonly PlacedHit[]): Promise<Facets> {
  const rows = hits.flatMap(({ row, copies }) => [row, ...copies]);
  const values = await reads.readFacetValues(
    new Set(rows.map(({ file_id }) => file_id)),
    rows.map(({ position }) => position),
  );
  const projects = groupByKey(values.projects);
  const models = groupByKey(values.models);
  const tools = groupByKey(values.tools);
  const dayAt = localDays();
  const days = count(hits, ({ timestamp }) => dayAt(timestamp));
  const months = count(hits, ({ timestamp }) => dayAt(timestamp)?.map(toMonth));
  return {
    projects: count(hits, ({ file_id }) => projects.get(file_id)),
    models: count(hits, ({ file_id }) => models.get(file_id)),
    roles: count(hits, ({ role }) => (role === null ? undefined : [role])),
    tools: count(hits, ({ position }) => tools.get(position)),
    months: months.sort(newestFirst),
    days: days.sort(newestFirst),
  };
}

const toMonth = (day: string): string => day.slice(0, day.lastIndexOf("-"));

function newestFirst(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

function groupByKey<Key>(rows: readonly ValueRow<Key>[]): Map<Key, string[]> {
  const values = new Map<Key, string[]>();
  for (const { key, value } of rows) {
    const known = values.get(key);
    if (!known) values.set(key, [value]);
    else if (!known.includes(value)) known.push(value);
  }
  return values;
}

function count(
  hits: readonly PlacedHit[],
  getValues: (row: PlacedHit["row"]) => readonly string[] | undefined,
): FacetCount[] {
  const counts = new Map<string, { hits: number; sessions: Set<number> }>();
  const add = (value: string, session: number) => {
    const counted = getOrInsert(counts, value, () => ({ hits: 0, sessions: new Set() }));
    counted.hits++;
    counted.sessions.add(session);
  };
  for (const { row, copies } of hits) {
    const own = getValues(row);
    for (const value of own ?? []) add(value, row.file_id);
    // There may be hundreds of thousands of hits, and nearly all have no copies.
    if (copies.length === 0) continue;
    const known = new Set(own);
    for (const place of copies) {
      for (const value of getValues(place) ?? []) {
        if (known.has(value)) continue;
        known.add(value);
        add(value, place.file_id); // with the value as a filter, the hit is this copy
      }
    }
  }
  return [...counts]
    .map(([value, { hits, sessions }]) => ({ value, hits, sessions: sessions.size }))
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
