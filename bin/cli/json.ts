import { JSON_SCHEMA_VERSION } from "../../library/internal.ts";
import { toJson } from "../format/json-text.ts";
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
