import { JSON_SCHEMA_VERSION } from "../../library/internal.ts";
import { toSafeJson } from "../format/json-text.ts";
import type { Io } from "./io.ts";

/** Writes an answer as one JSON object, with the schema version. */
export function writeJson(io: Io, answer: object): Promise<void> | undefined {
  return io.out(`${toSafeJson({ schema: JSON_SCHEMA_VERSION, ...answer }, io.isTerminal ? 2 : 0)}\n`);
}

/**
 * Writes an answer as one JSON object with a long list as its last field, streamed: only one item is in memory at a
 * time, and writes wait for a slow reader.
 */
export async function writeJsonList(
  io: Io,
  answer: object,
  name: string,
  items: Iterable<object> | AsyncIterable<object>,
): Promise<void> {
  const start = toSafeJson({ schema: JSON_SCHEMA_VERSION, ...answer });
  await io.out(`${start.slice(0, -1)},${JSON.stringify(name)}:[`);
  const lineEnd = io.isTerminal ? "\n" : ""; // in a pipe, one line in total
  let separator = lineEnd;
  for await (const item of items) {
    await io.out(separator + toSafeJson(item));
    separator = `,${lineEnd}`;
  }
  await io.out(`${lineEnd}]}\n`);
}

/** Writes each item as one line of JSON. */
export async function writeJsonLines(io: Io, items: Iterable<object> | AsyncIterable<object>): Promise<void> {
  for await (const item of items) await io.out(`${toSafeJson({ schema: JSON_SCHEMA_VERSION, ...item })}\n`);
}
