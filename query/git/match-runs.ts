/** Which of the lines that writes left in a draft are in a version of the file. */
import type { DraftLine } from "./file-draft.ts";

/** Runs of lines of writes, without lines of the first version between them: their positions. */
export function findRuns(lines: readonly DraftLine[]): number[][] {
  const runs: number[][] = [];
  lines.forEach(({ owner }, n) => {
    if (!owner) return;
    if (n > 0 && lines[n - 1]?.owner) runs.at(-1)?.push(n);
    else runs.push([n]);
  });
  return runs;
}

/** A draft compared with a version. */
export interface ComparedDraft {
  lines: readonly DraftLine[];
  /** The position of each line in the version, or -1. */
  places: Int32Array;
  /** Number of lines of the version. */
  length: number;
}

/** A line of a run that the version has. */
export interface MatchedLine {
  line: number;
  /** Whether the lines around it are those of the draft too. */
  isExact: boolean;
}

/** Lines on either side that must be the same for an exact match. */
const CONTEXT_LINES = 2;

/**
 * The lines of a run that the version has. A run that is there as a whole, between the same lines, is taken whatever its lines are. Of
 * another one, lines are taken only of sessions of which at least half is there, and lines that everyone writes only beside others.
 */
export function matchRun(run: readonly number[], draft: ComparedDraft): MatchedLine[] {
  const placeOf = (n: number) =>
    n < 0 ? n : n >= draft.lines.length ? draft.length : (draft.places[n] as number);
  const first = run[0] as number;
  const last = run.at(-1) as number;
  const follows = (n: number) => placeOf(n) >= 0 && placeOf(n - 1) === placeOf(n) - 1;
  if (follows(last + 1) && run.every(follows)) return run.map((line) => ({ line, isExact: true }));
  const taken = findTakenSessions(run, draft);
  const matched = run.filter((n) => placeOf(n) >= 0 && taken.has(draft.lines[n]?.owner?.write.session));
  const clusters: number[][] = [];
  for (const n of matched) {
    const previous = clusters.at(-1)?.at(-1);
    if (previous !== undefined && placeOf(n) === placeOf(previous) + 1) clusters.at(-1)?.push(n);
    else clusters.push([n]);
  }
  // At the ends of the run, the lines around it say as much about the place as a substantial line.
  const isAnchored = (cluster: readonly number[]) =>
    (cluster[0] === first && follows(first)) || (cluster.at(-1) === last && follows(last + 1));
  const isExact = (n: number) => {
    for (let at = n - CONTEXT_LINES; at <= n + CONTEXT_LINES; at++) {
      if (at >= -1 && at <= draft.lines.length && placeOf(at) !== placeOf(n) + at - n) return false;
    }
    return true;
  };
  return clusters
    .filter((cluster) => isAnchored(cluster) || cluster.some((n) => isSubstantial(textOf(draft, n))))
    .flat()
    .map((line) => ({ line, isExact: isExact(line) }));
}

/** The sessions of which the version has at least half of the substantial lines in a run. */
function findTakenSessions(run: readonly number[], draft: ComparedDraft): Set<number | undefined> {
  const substantial = run.filter((n) => isSubstantial(textOf(draft, n)));
  const bySession = Map.groupBy(substantial, (n) => draft.lines[n]?.owner?.write.session);
  const taken = new Set<number | undefined>();
  for (const [session, own] of bySession) {
    const found = own.filter((n) => (draft.places[n] as number) >= 0).length;
    if (found > 0 && found * 2 >= own.length) taken.add(session);
  }
  return taken;
}

function textOf({ lines }: ComparedDraft, n: number): string {
  return (lines[n] as DraftLine).text;
}

const COMMON_LINES = new Set([
  ...["return null;", "return None", "return true;", "return false;", "return result;", "return undefined;"],
  ...["continue;", "} else {", "} finally {", "else:", "break;", "/* eslint-disable */", '"use strict";'],
]);

/** Whether a line is unlikely to be written by several people independently. */
export function isSubstantial(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= 10 && !COMMON_LINES.has(trimmed);
}
