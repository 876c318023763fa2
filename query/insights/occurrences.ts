import { type Candidates, SLOW_MS } from "./candidates.ts";
import type { Call, Collected, PeriodData } from "./collect.ts";
import type { CallFacts, EntryFacts } from "./entry-facts.ts";
import type { InsightKind } from "./insight-options.ts";
import { isShell } from "./tools.ts";
import { findUndoneEdits, type UndoneEdit } from "./undone-edits.ts";

/** One time that something went wrong or took long. */
export interface Occurrence {
  kind: InsightKind;
  subject: string;
  tool?: string;
  /** Where it is cited. */
  file: number;
  line: number;
  /** Nano-dollars, not always whole: a call has a share of its response's cost. */
  cost: number;
  ms: number;
  calledAgain?: boolean;
  stillFailed?: boolean;
  tokensBefore?: number;
  tokensAfter?: number;
}

/** Whether occurrences can only be found, or named, by reading the session files. */
export function needsFiles({ kind, tool = "" }: Pick<Occurrence, "kind" | "tool">): boolean {
  if (kind === "slow-responses" || kind === "compactions") return false;
  return isShell(tool) || (kind !== "failures" && kind !== "slow-calls");
}

/** @param facts of entries that were read back, by file and line */
export function findOccurrences(
  data: PeriodData,
  candidates: Candidates,
  { members }: Pick<Collected, "members">,
  facts: (file: number, line: number) => EntryFacts | undefined,
): { occurrences: Occurrence[]; undone: UndoneEdit[] } {
  const ofCall = (call: Call): CallFacts | undefined => facts(call.file_id, call.line)?.calls[call.ordinal];
  const projectOf = (file: number) => members.get(file)?.cwd ?? "";
  const occurrences: Occurrence[] = [];
  const subjectOf = (call: Call) => (isShell(call.tool) && ofCall(call)?.command) || call.tool;
  for (const call of candidates.failed) {
    const result = facts(call.file_id, call.result_line ?? 0);
    // A shell that fails without a word is a search that found nothing, or a test that is not true.
    if (isShell(call.tool) && result && result.error === undefined) continue;
    const calledAgain = candidates.calledAgain.has(call);
    const failure = { ...lossOf(call), ...resultOf(call) };
    occurrences.push({ kind: "failures", subject: subjectOf(call), ...failure, calledAgain });
    if (result?.error !== undefined)
      occurrences.push({ kind: "repeated-errors", subject: result.error, ...failure });
  }
  for (const [failed, next] of candidates.retries) {
    const [first, second] = [ofCall(failed), ofCall(next)];
    if (!first || first.arguments !== second?.arguments) continue;
    const stillFailed = next.failed === 1;
    occurrences.push({
      kind: "repeated-calls",
      subject: subjectOf(next),
      ...lossOf(next),
      ...callOf(next),
      stillFailed,
    });
  }
  const undone = candidates.edits.flatMap((edits) => findUndoneEdits(edits, ofCall));
  for (const { edit, undoneBy } of undone) {
    const losses = [edit, ...undoneBy].map(lossOf);
    const cost = losses.reduce((total, loss) => total + loss.cost, 0);
    const ms = losses.reduce((total, loss) => total + loss.ms, 0);
    occurrences.push({
      kind: "undone-edits",
      subject: projectOf(edit.file_id),
      cost,
      ms,
      ...placeOf(undoneBy.at(-1) ?? edit),
    });
  }
  for (const call of candidates.slow) {
    occurrences.push({ kind: "slow-calls", subject: subjectOf(call), cost: 0, ms: call.ms, ...callOf(call) });
  }
  for (const { file, line, model, waited } of data.responses) {
    if (waited >= SLOW_MS)
      occurrences.push({ kind: "slow-responses", subject: model, file, line, cost: 0, ms: waited });
  }
  for (const { file, line, cost, tokensBefore, tokensAfter } of data.compactions) {
    // Both or none, so that the sums are comparable.
    const tokens =
      tokensBefore === undefined || tokensAfter === undefined ? {} : { tokensBefore, tokensAfter };
    occurrences.push({ kind: "compactions", subject: projectOf(file), file, line, cost, ms: 0, ...tokens });
  }
  return { occurrences, undone };
}

/** What a call used: its share of the response that made it, and its own duration. */
function lossOf({ cost, responseMs, ms }: Call): { cost: number; ms: number } {
  return { cost, ms: responseMs + ms };
}

function placeOf({ file_id: file, line }: Call) {
  return { file, line };
}

function callOf(call: Call) {
  return { tool: call.tool, ...placeOf(call) };
}

/** Cites the result, which has the error. */
function resultOf(call: Call) {
  return { tool: call.tool, file: call.file_id, line: call.result_line ?? call.line };
}
