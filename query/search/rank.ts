import { getOrInsert } from "../../src/get-or-insert.ts";
import { comparePositions, type Position } from "../../src/store/position.ts";
import type { HitRow } from "../../src/store/search-reads.ts";
import type { WithCopies } from "../copies.ts";

/** A hit and its copies in forks. */
export type HitWithCopies = WithCopies<HitRow>;

/** A hit and its score; greater is better, comparable within one result. */
export interface RankedHit extends HitWithCopies {
  score: number;
  /** Whether the entry satisfies only part of the query, and other entries of its session the rest. */
  crossEntry: boolean;
  /** How its session differs from the query, if it is a closest match. */
  closestMatch?: ClosestMatchDetails;
}

/** Missing and corrected words of a session that is a closest match. */
export interface ClosestMatchDetails {
  /** Words that the session does not contain in any form. */
  missing: string[];
  /** Words taken as misspelled, and the word found instead. */
  corrected: { from: string; to: string }[];
}

/** Ranking inputs besides the rows. Weights were chosen with `npm run bench:search`. */
export interface RankingSignals {
  /** Unix milliseconds. */
  now: number;
  /** Entries that contain the query as a phrase, or its words near each other. */
  phrase: ReadonlySet<Position>;
  near: ReadonlySet<Position>;
  /** Entries that contain the query's words with their punctuation; checked for the best hits only. */
  literal: ReadonlySet<Position>;
  /** Fraction of the query's terms in a session's name, from 0 to 1, by file id. */
  nameMatch: ReadonlyMap<number, number>;
}

/** Newer entries score up to 20 % higher; the bonus halves every 60 days. */
const RECENCY = { weight: 0.2, halfLife: 60 * 86400e3 };
/** Factors for all words in a row, and for words near each other. */
const PHRASE_FACTOR = 1.6;
const NEAR_FACTOR = 1.25;
/** Factor for words with their exact punctuation: `--no-cache`, not `no cache`. */
const LITERAL_FACTOR = 1.4;
/** Bonus for a session with a name that contains the whole query. */
const NAME_BONUS = 0.8;
/** Factor for entries on abandoned branches. */
const ABANDONED_FACTOR = 0.85;
/** Factors by role and type: questions and names show what a session is about. */
const ROLES: Record<string, number> = { user: 1.1, toolResult: 0.9 };
const TYPES: Record<string, number> = { session_info: 1.3, label: 1.3 };

/** Score of a hit: its text score (bm25), adjusted by the other signals. */
export function scoreHit(row: HitRow, signals: RankingSignals): number {
  let score = row.words * (1 + recency(row.timestamp, signals.now));
  if (signals.phrase.has(row.position)) score *= PHRASE_FACTOR;
  else if (signals.near.has(row.position)) score *= NEAR_FACTOR;
  if (signals.literal.has(row.position)) score *= LITERAL_FACTOR;
  if (!row.current) score *= ABANDONED_FACTOR;
  score *= ROLES[row.role ?? ""] ?? 1;
  score *= TYPES[row.type] ?? 1;
  return score * (1 + NAME_BONUS * (signals.nameMatch.get(row.file_id) ?? 0));
}

function recency(timestamp: number | null, now: number): number {
  if (timestamp === null) return 0;
  return RECENCY.weight * 0.5 ** (Math.max(0, now - timestamp) / RECENCY.halfLife);
}

/** Sort order of hits. */
export type HitSort = "relevance" | "newest" | "oldest";

/** Compares hits: best first, or by time with undated hits last. */
export function compareHits(sort: HitSort): (a: RankedHit, b: RankedHit) => number {
  const byTime = (a: RankedHit, b: RankedHit) => (b.row.timestamp ?? 0) - (a.row.timestamp ?? 0);
  const byPosition = (a: RankedHit, b: RankedHit) => comparePositions(b.row.position, a.row.position);
  if (sort === "newest") return (a, b) => byTime(a, b) || byPosition(a, b);
  if (sort === "oldest") {
    const time = ({ row }: RankedHit) => row.timestamp ?? Number.MAX_SAFE_INTEGER;
    return (a, b) => time(a) - time(b) || byPosition(b, a);
  }
  return (a, b) => b.score - a.score || byTime(a, b) || byPosition(a, b);
}

/** A session and its hits, in order. */
export interface RankedSession {
  fileId: number;
  hits: RankedHit[];
}

export function hitsOf(sessions: readonly RankedSession[]): RankedHit[] {
  return sessions.flatMap(({ hits }) => hits);
}

/** Each further hit adds this fraction of what the previous one added. */
const FURTHER_HIT_FACTOR = 0.5;
const MAX_SCORED_HITS = 8;

/** Groups sorted hits by session, and sorts the sessions. */
export function groupBySession(hits: readonly RankedHit[], sort: HitSort): RankedSession[] {
  const sessions = new Map<number, RankedSession>();
  for (const hit of hits) {
    const { file_id: fileId } = hit.row;
    getOrInsert(sessions, fileId, () => ({ fileId, hits: [] })).hits.push(hit);
  }
  const all = [...sessions.values()];
  if (sort !== "relevance") return all; // in order of their first hits
  const worth = new Map(all.map((session) => [session, sessionScore(session)]));
  return all.sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
}

/** Score of a session from its hits, dominated by the best one. */
function sessionScore({ hits }: RankedSession): number {
  return hits
    .slice(0, MAX_SCORED_HITS)
    .reduce((sum, { score }, n) => sum + score * FURTHER_HIT_FACTOR ** n, 0);
}
