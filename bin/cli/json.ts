import { JSON_SCHEMA_VERSION } from "../../index.ts";
import type { Io } from "./io.ts";
import { safeJson } from "./text.ts";

/** Writes an answer as one JSON object, with the number of its schema. */
export function writeJson(io: Io, answer: object): Promise<void> | undefined {
  const json = JSON.stringify({ schema: JSON_SCHEMA_VERSION, ...answer }, null, io.isTerminal ? 2 : 0);
  return io.out(`${safeJson(json)}\n`);
}

/** Writes one item of a long answer as a line of JSON of its own. Wait for it: a reader may be slow. */
export function writeJsonLine(io: Io, item: object): Promise<void> | undefined {
  return io.out(`${safeJson(JSON.stringify({ schema: JSON_SCHEMA_VERSION, ...item }))}\n`);
}

/** Writes a long answer as lines of JSON. */
export async function writeJsonLines(io: Io, items: Iterable<object> | AsyncIterable<object>): Promise<void> {
  for await (const item of items) await writeJsonLine(io, item);
}
