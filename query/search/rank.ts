import type { WithCopies } from "../copies.ts";
import type { HitRow } from "./hits.ts";

/** A hit with the other places where a fork copied the same entry to. */
export type PlacedHit = WithCopies<HitRow>;

/** A hit and what it is worth; greater is better, within one answer. */
export interface RankedHit extends PlacedHit {
  score: number;
  /** Whether it holds only part of what was asked for, and others of its session the rest. */
  together: boolean;
  /** What its session lacks of the query, where that matches in part. */
  lacks?: Lacks;
}

/** What a session lacks of a query that it does not match in full, or has in another spelling. */
export interface Lacks {
  /** Words of the query that it does not have in any form. */
  missing: string[];
  /** Words that were taken for misspelled, with the word that was found instead. */
  corrected: { from: string; to: string }[];
}

/** What ranking knows besides the rows. Chosen by the evaluation: `npm run bench:search`. */
export interface Signals {
  /** Unix milliseconds. */
  now: number;
  /** Ids of entries that hold the words of the query as a phrase, or near each other. */
  phrase: ReadonlySet<number>;
  near: ReadonlySet<number>;
  /** Ids of entries that hold words of the query with their signs; known of the best alone. */
  literal: ReadonlySet<number>;
  /** How much of the query stands in the name of a session, from 0 to 1, by file. */
  named: ReadonlyMap<number, number>;
}

/** Of what is equal else the newer comes first: up to a fifth more, half of which is gone in two months. */
const RECENCY = { weight: 0.2, halfLife: 60 * 86400e3 };
/** All words in a row, or near each other, mean more than the same words apart. */
const PHRASE_FACTOR = 1.6;
const NEAR_FACTOR = 1.25;
/** Words that stand there with the very signs they were asked for with: `--no-cache`, and not `no cache`. */
const LITERAL_FACTOR = 1.4;
/** A session whose name is the query is what was looked for. */
const NAME = 0.8;
/** What was tried and left counts less than what the session ended with. */
const ABANDONED_FACTOR = 0.85;
/** By who speaks: questions say what a session is about. */
const ROLES: Record<string, number> = { user: 1.1, toolResult: 0.9 };
const TYPES: Record<string, number> = { session_info: 1.3, label: 1.3 };

/** What a hit is worth: its words (bm25), and what else speaks for it. */
export function score(row: HitRow, signals: Signals): number {
  let score = row.words * (1 + recency(row.timestamp, signals.now));
  if (signals.phrase.has(row.id)) score *= PHRASE_FACTOR;
  else if (signals.near.has(row.id)) score *= NEAR_FACTOR;
  if (signals.literal.has(row.id)) score *= LITERAL_FACTOR;
  if (!row.current) score *= ABANDONED_FACTOR;
  score *= ROLES[row.role ?? ""] ?? 1;
  score *= TYPES[row.type] ?? 1;
  return score * (1 + NAME * (signals.named.get(row.file_id) ?? 0));
}

function recency(timestamp: number | null, now: number): number {
  if (timestamp === null) return 0;
  return RECENCY.weight * 0.5 ** (Math.max(0, now - timestamp) / RECENCY.halfLife);
}

/** In what order answers come. */
export type HitSort = "relevance" | "newest" | "oldest";

/** The best first, or by their time; those without one last. */
export function inOrder(sort: HitSort): (a: RankedHit, b: RankedHit) => number {
  const byTime = (a: RankedHit, b: RankedHit) => (b.row.timestamp ?? 0) - (a.row.timestamp ?? 0);
  if (sort === "newest") return (a, b) => byTime(a, b) || b.row.id - a.row.id;
  if (sort === "oldest") {
    const time = ({ row }: RankedHit) => row.timestamp ?? Number.MAX_SAFE_INTEGER;
    return (a, b) => time(a) - time(b) || a.row.id - b.row.id;
  }
  return (a, b) => b.score - a.score || byTime(a, b) || b.row.id - a.row.id;
}

/** A session with its hits, in order. */
export interface RankedSession {
  fileId: number;
  hits: RankedHit[];
}

/** Each further hit of a session adds this part of what the one before it added. */
const FURTHER = 0.5;
const MOST_FURTHER = 8;

/** Hits, which are in order, by the session they stand in; sessions by their hits. */
export function groupBySession(hits: readonly RankedHit[], sort: HitSort): RankedSession[] {
  const sessions = new Map<number, RankedSession>();
  for (const hit of hits) {
    const { file_id: fileId } = hit.row;
    const session = sessions.get(fileId);
    if (session) session.hits.push(hit);
    else sessions.set(fileId, { fileId, hits: [hit] });
  }
  const all = [...sessions.values()];
  if (sort !== "relevance") return all; // each where its first hit came
  const worth = new Map(all.map((session) => [session, sessionScore(session)]));
  return all.sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
}

/** What a session is worth by its hits, best first: most of all its best one. */
function sessionScore({ hits }: RankedSession): number {
  return hits.slice(0, MOST_FURTHER).reduce((sum, { score }, n) => sum + score * FURTHER ** n, 0);
}
