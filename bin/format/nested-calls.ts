/** Calls that a tool made itself, as codemode scripts do: each on one line, on every surface. */
import type { Message } from "../../library/index.ts";
import { type NestedCall, nestedCalls } from "../../src/session/nested-calls.ts";
import { duration } from "./numbers.ts";
import { counted, grouped, oneLine, safe } from "./safe.ts";
import { callAbout } from "./tool-call.ts";

/** A call in words that are safe for a terminal. */
export interface NestedCallWords {
  call: NestedCall;
  name: string;
  /** What it was called for, on one line. */
  about: string;
  /** How it went, as far as that is worth a word: `failed, 2ms`. Empty where there is nothing to say. */
  facts: string;
  /** The error of a failed call, on one line or several. */
  error: string;
}

export interface NestedCallsWords {
  calls: NestedCallWords[];
  /** What the record lacks. */
  notes: string[];
}

type Result = Extract<Message, { role: "toolResult" }>;

/** Deeper calls stand no farther in. */
const MOST_DEEP = 8;

/** The calls that the tool of a result made, in words; undefined when it made none. */
export function nestedCallsWords(result: Result): NestedCallsWords | undefined {
  const nested = nestedCalls(result);
  if (!nested) return undefined;
  const { calls, isComplete, leftOut } = nested;
  return {
    calls: calls.map(wordsOf),
    notes: [
      ...(leftOut > 0 ? [`${grouped(leftOut)} more calls are not shown.`] : []),
      ...(isComplete ? [] : ["The record of these calls is incomplete."]),
    ],
  };
}

function wordsOf(call: NestedCall): NestedCallWords {
  const { status, durationMs, argumentsBytes, arguments: args } = call;
  const lacks =
    argumentsBytes === undefined ? "" : `arguments of ${grouped(argumentsBytes)} bytes not recorded`;
  const went = status === "error" ? "failed" : status === "unfinished" ? "not finished" : "";
  return {
    call,
    name: oneLine(call.name.slice(0, 200)) || "?",
    about: args ? callAbout(args) : "",
    facts: [lacks, went, durationMs === undefined ? "" : duration(durationMs)].filter(Boolean).join(", "),
    error: call.error === undefined ? "" : safe(call.error).trim(),
  };
}

/** Says that calls failed: `1 of 3 calls failed`. Empty when none did. A script that catches an error succeeds nevertheless. */
export function failedCalls(calls: readonly NestedCallWords[]): string {
  const failed = countFailed(calls);
  return failed === 0 ? "" : `${grouped(failed)} of ${counted(calls.length, "call")} failed`;
}

/** The line in the place of calls that are not shown: `… 22 more calls, 1 failed`. */
export function moreCalls(hidden: readonly NestedCallWords[]): string {
  const failed = countFailed(hidden);
  return `… ${counted(hidden.length, "more call")}${failed === 0 ? "" : `, ${grouped(failed)} failed`}`;
}

function countFailed(calls: readonly NestedCallWords[]): number {
  return calls.filter(({ call }) => call.status === "error").length;
}

/** How far in a call stands, by the calls it was made within. */
export function nestedIndent({ depth }: NestedCall): string {
  return "  ".repeat(Math.min(depth, MOST_DEEP));
}

/** The calls as plain lines: `→ read src/vat.ts (failed, 2ms)`, errors below. */
export function nestedCallLines({ calls, notes }: NestedCallsWords): string[] {
  const lines = calls.flatMap(({ call, name, about, facts, error }) => {
    const indent = nestedIndent(call);
    const line = [`${indent}→ ${name}`, about, facts && `(${facts})`].filter(Boolean).join(" ");
    return [line, ...(error === "" ? [] : error.split("\n").map((each) => `${indent}  ${each}`))];
  });
  return [...lines, ...notes];
}
