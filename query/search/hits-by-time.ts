import type { HitRow } from "../../src/store/search-reads.ts";
import type { SessionPosition } from "../../src/store/session-reads.ts";
import { ofSessionOnly } from "../session-only.ts";
import type { Search } from "./prepare-search.ts";
import type { RankedHit } from "./rank.ts";
import { scoreTerms } from "./score-terms.ts";

/** Number of sessions in the first batch. Each further batch is twice as large. */
const MIN_BATCH = 32;
/** Maximum number of hits of one session, in wide windows. */
const WINDOWS_OF_ONE = 8;

/**
 * The newest or oldest hits of a query that has more than a window of them: as many as fill a page. Row ids only roughly follow time,
 * because older sessions may be indexed after newer ones. So hits are read session by session, the last modified first (or the first
 * created first), until those of no other session belong before them.
 *
 * @param rank collapses copies and sorts by time
 */
export async function findHitsByTime(
  search: Search,
  rank: (rows: readonly HitRow[]) => Promise<readonly RankedHit[]>,
): Promise<{ hits: readonly RankedHit[]; more: boolean }> {
  const { store, plan, options, unit, page, count, isSeen } = search;
  const isOldest = options.sort === "oldest";
  const ofSessions = plan.whole.entry.flatMap((each) => ofSessionOnly(each) ?? []);
  const condition = { kind: "all", of: [plan.whole.session, ...ofSessions] } as const;
  const [sort, order] = isOldest ? (["created", "oldest"] as const) : (["modified", "newest"] as const);
  let rows: HitRow[] = [];
  let isCut = false;
  let after: SessionPosition | undefined;
  for (let batch = MIN_BATCH; ; batch *= 2) {
    const listed = await store.sessions.list({
      ...{ condition, sort, order, after, pinnedFirst: false },
      limit: batch,
    });
    const next = listed[batch];
    const sessions = listed.slice(0, batch);
    const last = sessions.at(-1);
    if (last) after = { pinned: last.pinned, value: last.sort_value, file: last.file_id };
    const files = sessions.map(({ file_id }) => file_id);
    const unseen = unit === "sessions" ? files.filter((file) => !page.seen.has(file)) : files;
    const read = await readHits(search, unseen);
    rows = rows.concat(read.rows);
    isCut ||= read.isCut && unit === "hits";
    const hits = await rank(rows);
    if (!next) return { hits, more: isCut };
    const bound = Number(next.sort_value);
    const isFirst = ({ row: { timestamp } }: RankedHit) =>
      timestamp !== null && (isOldest ? timestamp <= bound : timestamp >= bound);
    const first = hits.filter(isFirst);
    const fresh = first.filter((hit) => !isSeen(hit));
    if (count(fresh.map(({ row }) => row)) <= options.limit) continue;
    if (unit === "hits") return { hits: first, more: true };
    const found = new Set(first.map(({ row }) => row.file_id));
    return { hits: hits.filter(({ row }) => found.has(row.file_id)), more: true };
  }
}

/** The hits in some sessions, and whether one of them has more than are read at a time. */
async function readHits(
  search: Search,
  files: readonly number[],
): Promise<{ rows: readonly HitRow[]; isCut: boolean }> {
  if (files.length === 0) return { rows: [], isCut: false };
  const { reads, plan, options, unit, windows, page } = search;
  const isOne = files.length === 1;
  const { rows, more } = await reads.findHits(plan.whole, {
    // Those that were returned don't count.
    size: windows.wide * (isOne ? WINDOWS_OF_ONE : 1) + (unit === "hits" ? page.seen.size : 0),
    from: options.sort === "oldest" ? "oldest" : "newest",
    within: page.within,
    files: new Set(files),
  });
  if (!more || isOne) {
    await scoreTerms(reads, rows, plan.whole, true); // sorted by time, hits have scores too
    return { rows, isCut: more };
  }
  const middle = Math.ceil(files.length / 2);
  const first = await readHits(search, files.slice(0, middle));
  const second = await readHits(search, files.slice(middle));
  return { rows: [...first.rows, ...second.rows], isCut: first.isCut || second.isCut };
}
