import type { Call, PeriodData } from "./collect.ts";
import type { EntryPlace } from "./read-back.ts";
import { isChanging, isShell, isWaiting } from "./tools.ts";

/** Shorter calls and responses are not slow. */
export const SLOW_MS = 60_000;

/** A failed call, and the next call of the same tool in its session if nothing was changed between them. */
export type Retry = [failed: Call, next: Call];

/** What may be a finding once the entries have been read. */
export interface Candidates {
  failed: Call[];
  /** Failed calls whose next call in the session is of the same tool. */
  calledAgain: ReadonlySet<Call>;
  retries: Retry[];
  slow: Call[];
  /** Edits, in order, of files that one session edited more than once. */
  edits: Call[][];
}

export function findCandidates({ callsByFile }: PeriodData): Candidates {
  const failed: Call[] = [];
  const calledAgain = new Set<Call>();
  const retries: Retry[] = [];
  const slow: Call[] = [];
  const edits: Call[][] = [];
  for (const calls of callsByFile.values()) {
    const pending = new Map<string, { call: Call; changes: number }>();
    let changes = 0;
    calls.forEach((call, n) => {
      const last = pending.get(call.tool);
      if (last && last.changes === changes && last.call.response !== call.response)
        retries.push([last.call, call]);
      pending.delete(call.tool);
      if (call.failed === 1) {
        failed.push(call);
        pending.set(call.tool, { call, changes });
        if (calls[n + 1]?.tool === call.tool) calledAgain.add(call);
      }
      if (call.failed === 0 && isChanging(call.tool)) changes++;
      if (call.ms >= SLOW_MS && !isWaiting(call.tool)) slow.push(call);
    });
    const edited = calls.filter(
      ({ tool, failed, changed }) => failed === 0 && changed !== null && isChanging(tool),
    );
    const ofPaths = Map.groupBy(edited, ({ changed }) => changed);
    for (const ofPath of ofPaths.values()) if (ofPath.length > 1) edits.push(ofPath);
  }
  return { failed, calledAgain, retries, slow, edits };
}

/** The entries to read for the candidates of a period. */
export function* listPlaces(data: PeriodData, candidates: Candidates): Generator<EntryPlace> {
  const rank = data.period.since;
  for (const { tool, position, result } of candidates.failed) {
    if (result !== null) yield { position: result, rank };
    if (isShell(tool)) yield { position, rank };
  }
  for (const [{ position }, next] of candidates.retries) {
    yield { position, rank };
    yield { position: next.position, rank };
  }
  for (const { tool, position } of candidates.slow) if (isShell(tool)) yield { position, rank };
  for (const { position } of candidates.edits.flat()) yield { position, rank };
}
