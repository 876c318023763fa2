import { getOrInsert } from "../../src/get-or-insert.ts";
import type { Position } from "../../src/store/position.ts";
import type { MatchRow, SearchReads, ValueRow } from "../../src/store/search-reads.ts";
import type { FacetCount, Facets } from "../answers.ts";
import type { WithCopies } from "../copies.ts";

/** A hit and its copies. */
type PlacedHit = WithCopies<MatchRow>;

/**
 * Counts hits, and the sessions that have them, by project, model, tag, role, tool, month and day. A hit counts for each value that one
 * of its copies has, so that each number equals the number of hits with that value as a filter.
 */
export async function countFacets(reads: SearchReads, hits: readonly PlacedHit[]): Promise<Facets> {
  const files = new Set<number>();
  const positions: Position[] = [];
  for (const { row, copies } of hits) {
    files.add(row.file_id);
    positions.push(row.position);
    for (const { file_id, position } of copies) {
      files.add(file_id);
      positions.push(position);
    }
  }
  const values = await reads.readFacetValues(files, positions);
  const tools = groupByKey(values.tools);
  const dayAt = localDays();
  const { sums, shared } = sumSingle(hits, tools);
  const days = count(
    shared,
    sums,
    ({ times }) => times,
    ({ timestamp }) => dayAt(timestamp),
    dayAt,
  );
  const monthAt = (timestamp: number | null) => dayAt(timestamp)?.map(toMonth);
  const months = count(
    shared,
    sums,
    ({ times }) => times,
    ({ timestamp }) => monthAt(timestamp),
    monthAt,
  );
  const toSelf = (value: string) => [value];
  const countBySession = (rows: readonly ValueRow<number>[]) => {
    const byFile = groupByKey(rows);
    return count(
      shared,
      sums,
      ofFile,
      ({ file_id }) => byFile.get(file_id),
      (file) => byFile.get(file),
    );
  };
  return {
    projects: countBySession(values.projects),
    models: countBySession(values.models),
    tags: countBySession(values.tags),
    roles: count(
      shared,
      sums,
      ({ roles }) => roles,
      ({ role }) => (role === null ? undefined : [role]),
      toSelf,
    ),
    tools: count(
      shared,
      sums,
      (sum) => sum.tools,
      ({ position }) => tools.get(position),
      toSelf,
    ),
    months: months.sort(newestFirst),
    days: days.sort(newestFirst),
  };
}

/** Numbers of hits without copies in one session. There may be hundreds of thousands of hits, and nearly all have no copies. */
interface SessionSum {
  file: number;
  hits: number;
  roles: Map<string, number>;
  tools: Map<string, number>;
  /** By the start of their time bucket. */
  times: Map<number, number>;
}

const ofFile = ({ file, hits }: SessionSum): Map<number, number> => new Map([[file, hits]]);

function sumSingle(hits: readonly PlacedHit[], tools: ReadonlyMap<Position, readonly string[]>) {
  const sums = new Map<number, SessionSum>();
  const shared: PlacedHit[] = [];
  let sum: SessionSum | undefined;
  for (const hit of hits) {
    if (hit.copies.length > 0) {
      shared.push(hit);
      continue;
    }
    const { file_id: file, role, timestamp, position } = hit.row;
    if (sum?.file !== file) {
      const empty = { file, hits: 0, roles: new Map(), tools: new Map(), times: new Map() };
      sum = getOrInsert(sums, file, (): SessionSum => empty);
    }
    sum.hits++;
    if (role !== null) increment(sum.roles, role);
    if (timestamp !== null) increment(sum.times, Math.floor(timestamp / TIME_BUCKET_MS) * TIME_BUCKET_MS);
    for (const tool of tools.get(position) ?? []) increment(sum.tools, tool);
  }
  return { sums: [...sums.values()], shared };
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const toMonth = (day: string): string => day.slice(0, day.lastIndexOf("-"));

function newestFirst(a: FacetCount, b: FacetCount): number {
  return a.value < b.value ? 1 : -1;
}

function groupByKey<Key>(rows: readonly ValueRow<Key>[]): Map<Key, readonly string[]> {
  const values = new Map<Key, readonly string[]>();
  const alone = new Map<string, readonly string[]>(); // shared: most of the hundreds of thousands of keys have one of a few values
  for (const { key, value } of rows) {
    const known = values.get(key);
    if (!known)
      values.set(
        key,
        getOrInsert(alone, value, () => [value]),
      );
    else if (!known.includes(value)) values.set(key, [...known, value]);
  }
  return values;
}

/**
 * @param hits those with copies, which count for the values of `getValues`
 * @param sums those without, with `keysOf` them, which `toValues` turns into values
 */
function count<Key>(
  hits: readonly PlacedHit[],
  sums: readonly SessionSum[],
  keysOf: (sum: SessionSum) => ReadonlyMap<Key, number>,
  getValues: (row: PlacedHit["row"]) => readonly string[] | undefined,
  toValues: (key: Key) => readonly string[] | undefined,
): FacetCount[] {
  const counts = new Map<string, { hits: number; sessions: Set<number> }>();
  const add = (value: string, session: number, hits = 1) => {
    const counted = getOrInsert(counts, value, () => ({ hits: 0, sessions: new Set() }));
    counted.hits += hits;
    counted.sessions.add(session);
  };
  for (const sum of sums) {
    for (const [key, hits] of keysOf(sum)) {
      for (const value of toValues(key) ?? []) add(value, sum.file, hits);
    }
  }
  for (const { row, copies } of hits) {
    const known = new Set(getValues(row));
    for (const value of known) add(value, row.file_id);
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
