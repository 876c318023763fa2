import { isRecord } from "../../src/session/json.ts";
import type { Substitution } from "./substitution.ts";

/** Fields with names of types, models, tools and formats, and with bytes. Their values stay as they are. */
const KEPT = new Set(
  "type role api provider model modelId responseModel toolName customType stopReason mimeType thinkingLevel kind agent data".split(
    " ",
  ),
);
const TIMES = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** How a line is changed in a copy. */
export interface LineChanges {
  substitution: Substitution;
  /** Added to all times, in milliseconds. */
  shiftMs: number;
  /** New paths of the sessions that other sessions name, by file name. */
  paths: ReadonlyMap<string, string>;
}

/** Returns a header or an entry with other ids, times and words. */
export function copyLine(line: Record<string, unknown>, changes: LineChanges): Record<string, unknown> {
  return copyRecord(line, changes);
}

function copyRecord(record: Record<string, unknown>, changes: LineChanges): Record<string, unknown> {
  const isToolCall = record.type === "toolCall";
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const isKept = KEPT.has(key) || key.endsWith("Signature") || (isToolCall && key === "name");
      if (key === "timestamp") return [key, shiftTime(value, changes.shiftMs)];
      return [key, isKept && typeof value === "string" ? value : copyValue(value, changes)];
    }),
  );
}

function copyValue(value: unknown, changes: LineChanges): unknown {
  if (typeof value === "string") {
    // Windows' separators too.
    const path = value.endsWith(".jsonl") ? changes.paths.get(value.split(/[/\\]/).at(-1) ?? "") : undefined;
    return path ?? changes.substitution.apply(value);
  }
  if (Array.isArray(value)) return value.map((item) => copyValue(item, changes));
  return isRecord(value) ? copyRecord(value, changes) : value;
}

/** An ISO time or Unix milliseconds, shifted; anything else as it is. */
export function shiftTime(time: unknown, shiftMs: number): unknown {
  if (typeof time === "number") return time + shiftMs;
  if (typeof time !== "string" || !TIMES.test(time)) return time;
  const shifted = Date.parse(time) + shiftMs;
  return Number.isNaN(shifted) ? time : new Date(shifted).toISOString();
}
