import { comparePositions, type Position } from "../../src/store/position.ts";
import type { HitRow } from "../../src/store/search-reads.ts";
import type { Clause } from "../compile-query.ts";
import { getCopyKey } from "../copies.ts";
import { findFilesWithHits } from "./files-with-hits.ts";
import type { Search } from "./prepare-search.ts";
import { isWhole, wholeRange } from "./ranges.ts";
import { compareHits, type RankedHit, type RankedSession, scoreHit } from "./rank.ts";
import { type RankedHits, readSignals } from "./ranked-hits.ts";
import { scoreTerms } from "./score-terms.ts";

/** Maximum number of clauses. Longer queries are pasted text, where searching each clause is slow and of little use. */
const MAX_CLAUSES = 12;
/** Maximum number of entries per clause, newest first. */
const MAX_ROWS = 4_000;

/** Sessions that satisfy all clauses of a query across different entries. */
export interface CrossEntryMatches {
  sessions: RankedSession[];
  /** Whether a clause has more entries than were read, so that there may be more sessions. */
  more: boolean;
}

/**
 * Finds the sessions that satisfy all clauses of a query only across entries, with the shortest span of lines that does. Searches from
 * the rarest clause to the most frequent, each within the sessions that the previous ones left.
 *
 * @param ranked the entries that satisfy all clauses by themselves
 */
export async function findCrossEntryMatches(
  { reads, compiled, plan, counts, options: { sort, exact }, page: { end } }: Search,
  { all, range }: RankedHits,
): Promise<CrossEntryMatches> {
  const { clauses } = compiled;
  const known = new Set(all.flatMap(({ row, copies }) => [row, ...copies]).map(({ file_id }) => file_id));
  if (clauses.length < 2 || clauses.length > MAX_CLAUSES) return { sessions: [], more: false };
  let isCut = false;
  const found: HitRow[][] = [];
  let files: Set<number> | undefined;
  for (const part of rarestFirst(clauses, counts)) {
    const hitConditions = plan.forClause(part);
    const { rows, more } = await reads.findHits(hitConditions, {
      size: exact ? undefined : MAX_ROWS,
      from: sort === "oldest" ? "oldest" : "newest",
      within: wholeRange(end),
      files,
    });
    await scoreTerms(reads, rows, hitConditions, more);
    isCut ||= more;
    found.push(rows);
    files = new Set(rows.map(({ file_id }) => file_id));
    if (files.size === 0) return { sessions: [], more: isCut };
  }
  const spans = findShortestSpans(found, files ?? new Set());
  const signals = await readSignals(
    reads,
    { ...compiled, proximity: undefined },
    spans.flatMap(({ rows }) => rows),
  );
  const ranked = withoutCopies(spans)
    .filter(({ rows }) => !rows.some(({ file_id }) => known.has(file_id)))
    .map(({ rows, span, mentions }) => {
      const hits = rows.map(
        (row): RankedHit => ({ row, copies: [], score: scoreHit(row, signals), crossEntry: true }),
      );
      const words = hits.reduce((sum, hit) => sum + hit.score, 0);
      const worth = words * spanFactor(span) * (1 + MENTIONS_WEIGHT * Math.log(mentions));
      return { fileId: (rows[0] as HitRow).file_id, hits: hits.sort(compareHits(sort)), worth };
    });
  const byFirst = compareHits(sort);
  const sessions =
    sort === "relevance"
      ? ranked.sort((a, b) => b.worth - a.worth)
      : ranked.sort((a, b) => byFirst(a.hits[0] as RankedHit, b.hits[0] as RankedHit));
  if (isWhole(range, end)) return { sessions, more: isCut };
  // Sessions with a full match in an earlier window are known there, not here.
  const fileIds = sessions.map(({ fileId }) => fileId);
  const before = await findFilesWithHits(reads, plan.whole, fileIds, wholeRange(end));
  return { sessions: sessions.filter(({ fileId }) => !before.has(fileId)), more: isCut };
}

/** A session tends to be about what it mentions more than once. */
const MENTIONS_WEIGHT = 0.4;

/** Clauses close together are probably related: adjacent ones count up to twice as much as distant ones. */
function spanFactor(span: number): number {
  return 1 + 1 / (1 + span / 8);
}

/** Removes forks' copies of a span; the oldest session is kept. */
function withoutCopies(spans: readonly Span[]): Span[] {
  const created = ({ rows: [row] }: Span) => row?.created ?? Number.MAX_SAFE_INTEGER;
  const first = ({ rows }: Span) => (rows[0] as HitRow).position;
  const oldestFirst = spans.toSorted(
    (a, b) => created(a) - created(b) || comparePositions(first(a), first(b)),
  );
  return [...new Map(oldestFirst.reverse().map((each) => [each.rows.map(getCopyKey).join(), each])).values()];
}

function rarestFirst(parts: readonly Clause[], counts: ReadonlyMap<Clause, number>): Clause[] {
  // Conditions are not counted; most words are rarer than `file:*`.
  const count = (part: Clause) => Math.min(counts.get(part) ?? MAX_ROWS - 1, MAX_ROWS);
  return parts.toSorted((a, b) => count(a) - count(b));
}

interface Found {
  part: number;
  row: HitRow;
}

/** The shortest span of a session's lines that satisfies all clauses. */
interface Span {
  /** Its entries, in file order. */
  rows: HitRow[];
  /** Length in lines. */
  span: number;
  /** Product of the numbers of entries in the session that satisfy each clause. */
  mentions: number;
}

function findShortestSpans(found: readonly HitRow[][], files: ReadonlySet<number>): Span[] {
  const byFile = new Map([...files].map((file): [number, Found[]] => [file, []]));
  found.forEach((rows, part) => {
    for (const row of rows) byFile.get(row.file_id)?.push({ part, row });
  });
  return [...byFile.values()].flatMap((all) => {
    const inOrder = all.sort((a, b) => a.row.line - b.row.line || a.part - b.part);
    return findShortestSpan(inOrder, found.length) ?? [];
  });
}

/** The shortest span, by line, that contains an entry for each clause. */
function findShortestSpan(all: readonly Found[], parts: number): Span | undefined {
  const inside = new Map<number, number>();
  let best: { from: number; to: number; span: number } | undefined;
  let from = 0;
  all.forEach(({ part, row }, to) => {
    inside.set(part, (inside.get(part) ?? 0) + 1);
    while (inside.size === parts) {
      const first = all[from] as Found;
      const span = row.line - first.row.line + 1;
      if (!best || span <= best.span) best = { from, to, span }; // the later of equals
      const left = (inside.get(first.part) as number) - 1;
      if (left === 0) inside.delete(first.part);
      else inside.set(first.part, left);
      from++;
    }
  });
  if (!best) return undefined;
  const { from: start, to: end, span } = best;
  const mentions = Array.from(
    { length: parts },
    (_, part) => all.filter((each) => each.part === part).length,
  );
  return {
    rows: bestOfEach(all.slice(start, end + 1), parts),
    span,
    mentions: mentions.reduce((product, count) => product * count, 1),
  };
}

/** The best entry for each clause; an entry that is best for two is returned once and scores for both. */
function bestOfEach(span: readonly Found[], parts: number): HitRow[] {
  const best = new Map<Position, HitRow>();
  for (let part = 0; part < parts; part++) {
    const rows = span.filter((each) => each.part === part).map(({ row }) => row);
    const row = rows.reduce((a, b) => (b.words > a.words ? b : a));
    const known = best.get(row.position);
    best.set(row.position, known ? { ...row, words: known.words + row.words } : row);
  }
  return [...best.values()].sort((a, b) => a.line - b.line);
}
