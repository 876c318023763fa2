import { JSON_SCHEMA_VERSION } from "../../index.ts";
import type { Io } from "./io.ts";

/** Writes an answer as one JSON object, with the number of its schema. */
export function writeJson(io: Io, answer: object): void {
  void io.out(`${JSON.stringify({ schema: JSON_SCHEMA_VERSION, ...answer }, null, io.isTerminal ? 2 : 0)}\n`);
}

/** Writes one item of a long answer as a line of JSON of its own. */
export function writeJsonLine(io: Io, item: object): Promise<void> | undefined {
  return io.out(`${JSON.stringify({ schema: JSON_SCHEMA_VERSION, ...item })}\n`);
}
