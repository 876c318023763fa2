/** Writes session files in pi's layout. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { v7 } from "uuid";
import type { Random } from "./random.ts";
import type { Entry } from "./session-entries.ts";

/** A session id: a UUIDv7 of the start time, as pi creates. */
export function createSessionId(start: number, random: Random): string {
  return v7({ msecs: start, random: random.bytes(16), seq: random.between(0, 0x7fffffff) });
}

/** `2026-01-05T09-00-00-000Z_<id>.jsonl` */
export function formatFileName(start: number, id: string): string {
  return `${new Date(start).toISOString().replace(/[:.]/g, "-")}_${id}.jsonl`;
}

export interface SessionFile {
  path: string;
  id: string;
  start: number;
  cwd: string;
  parentSession?: string;
  entries: readonly Entry[];
  /** The time of the last write, in Unix milliseconds. */
  end: number;
  /** Whether the last line is truncated, as by a crash during a write. */
  torn?: boolean;
}

/** Writes a session file with the modification time `end`. @throws as Node's file functions */
export function writeSession({ path, id, start, cwd, parentSession, entries, end, torn }: SessionFile): void {
  const timestamp = new Date(start).toISOString();
  const header = { type: "session", version: 3, id, timestamp, cwd, ...(parentSession && { parentSession }) };
  const text = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, torn ? text.slice(0, -40) : text);
  utimesSync(path, new Date(end), new Date(end));
}
