import { JSON_SCHEMA_VERSION } from "../../index.ts";
import { safeJson } from "../wording/text.ts";
import type { Io } from "./io.ts";

/** Writes an answer as one JSON object, with the number of its schema. */
export function writeJson(io: Io, answer: object): Promise<void> | undefined {
  return io.out(`${toJson({ schema: JSON_SCHEMA_VERSION, ...answer }, io.isTerminal ? 2 : 0)}\n`);
}

/**
 * Writes an answer as one JSON object whose last field is a long list, part by part: no more than one part is in
 * memory at a time, and a slow reader is waited for.
 */
export async function writeJsonList(
  io: Io,
  answer: object,
  name: string,
  parts: Iterable<object> | AsyncIterable<object>,
): Promise<void> {
  const start = toJson({ schema: JSON_SCHEMA_VERSION, ...answer });
  await io.out(`${start.slice(0, -1)},${JSON.stringify(name)}:[`);
  const lineEnd = io.isTerminal ? "\n" : ""; // in a pipe an answer is one line
  let separator = lineEnd;
  for await (const part of parts) {
    await io.out(separator + toJson(part));
    separator = `,${lineEnd}`;
  }
  await io.out(`${lineEnd}]}\n`);
}

/** Writes the parts of a long answer as lines of JSON of their own. */
export async function writeJsonLines(io: Io, parts: Iterable<object> | AsyncIterable<object>): Promise<void> {
  for await (const part of parts) await io.out(`${toJson({ schema: JSON_SCHEMA_VERSION, ...part })}\n`);
}

/** How deep a value is written where `JSON.stringify`, which is recursive, cannot write the whole of it. */
const MOST_LEVELS = 200;

/** A value as JSON that is safe for a terminal. What is nested too deep to write is left out as "…". */
export function toJson(value: unknown, indent = 0): string {
  try {
    return safeJson(JSON.stringify(value, null, indent));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return safeJson(JSON.stringify(cutBelow(value, MOST_LEVELS), null, indent));
  }
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((inner) => cutBelow(inner, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutBelow(inner, levels - 1)]));
}
