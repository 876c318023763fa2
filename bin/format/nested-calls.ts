/** Calls that a tool made itself, as codemode scripts do: one line each, on every surface. */
import type { Message } from "../../library/index.ts";
import { type NestedCall, parseNestedCalls } from "../../src/session/nested-calls.ts";
import { formatDuration } from "./numbers.ts";
import { formatCount, formatInteger, toOneLine, toSafe } from "./safe.ts";
import { getMainArgument } from "./tool-call.ts";

/** A call as text that is safe for a terminal. */
export interface FormattedNestedCall {
  call: NestedCall;
  name: string;
  /** Its main argument, on one line. */
  about: string;
  /** Outcome and duration: `failed, 2ms`. May be empty. */
  facts: string;
  /** The error of a failed call, in one or more lines. */
  error: string;
}

export interface FormattedNestedCalls {
  calls: FormattedNestedCall[];
  /** Remarks on calls missing from the record. */
  notes: string[];
}

type Result = Extract<Message, { role: "toolResult" }>;

/** Deeper calls are not indented further. */
const MAX_INDENT_LEVELS = 8;

/** The calls made by the tool of a result, as text; undefined if there are none. */
export function formatNestedCalls(result: Result): FormattedNestedCalls | undefined {
  const nested = parseNestedCalls(result);
  if (!nested) return undefined;
  const { calls, isComplete, omitted } = nested;
  return {
    calls: calls.map(toWords),
    notes: [
      ...(omitted > 0 ? [`${formatInteger(omitted)} more calls are not shown.`] : []),
      ...(isComplete ? [] : ["The record of these calls is incomplete."]),
    ],
  };
}

function toWords(call: NestedCall): FormattedNestedCall {
  const { status, durationMs, argumentsBytes, arguments: args } = call;
  const missing =
    argumentsBytes === undefined ? "" : `arguments of ${formatInteger(argumentsBytes)} bytes not recorded`;
  const outcome = status === "error" ? "failed" : status === "unfinished" ? "not finished" : "";
  return {
    call,
    name: toOneLine(call.name.slice(0, 200)) || "?",
    about: args ? getMainArgument(args, undefined).text : "",
    facts: [missing, outcome, durationMs === undefined ? "" : formatDuration(durationMs)]
      .filter(Boolean)
      .join(", "),
    error: call.error === undefined ? "" : toSafe(call.error).trim(),
  };
}

/** `1 of 3 calls failed`; "" if none did. The tool itself may succeed nevertheless, if its script catches the error. */
export function formatFailedCalls(calls: readonly FormattedNestedCall[]): string {
  const failed = countFailed(calls);
  return failed === 0 ? "" : `${formatInteger(failed)} of ${formatCount(calls.length, "call")} failed`;
}

/** The line that replaces hidden calls: `… 22 more calls, 1 failed`. */
export function formatHiddenCalls(hidden: readonly FormattedNestedCall[]): string {
  const failed = countFailed(hidden);
  return `… ${formatCount(hidden.length, "more call")}${failed === 0 ? "" : `, ${formatInteger(failed)} failed`}`;
}

function countFailed(calls: readonly FormattedNestedCall[]): number {
  return calls.filter(({ call }) => call.status === "error").length;
}

/** The indentation of a call, by its nesting depth. */
export function nestedIndent({ depth }: NestedCall): string {
  return "  ".repeat(Math.min(depth, MAX_INDENT_LEVELS));
}

/** The calls as plain lines: `→ read src/vat.ts (failed, 2ms)`, errors below. */
export function nestedCallLines({ calls, notes }: FormattedNestedCalls): string[] {
  const lines = calls.flatMap(({ call, name, about, facts, error }) => {
    const indent = nestedIndent(call);
    const line = [`${indent}→ ${name}`, about, facts && `(${facts})`].filter(Boolean).join(" ");
    return [line, ...(error === "" ? [] : error.split("\n").map((each) => `${indent}  ${each}`))];
  });
  return [...lines, ...notes];
}
