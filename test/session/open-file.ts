import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ReadCounters, readLines } from "../../src/session/lines.ts";
import { INITIAL_READ_STATE, type ReadState, readSession, type SessionLine } from "../../src/session/read.ts";
import { temporaryFolder } from "../temporary.ts";

/** An open file with these bytes, closed at the end of the test. */
export function openFile(content: string | Buffer = ""): number {
  const fd = openSync(join(temporaryFolder(), "session.jsonl"), "w+");
  onTestFinished(() => closeSync(fd));
  rewrite(fd, content);
  return fd;
}

/** Replaces the content of an open file. */
export function rewrite(fd: number, content: string | Buffer): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  ftruncateSync(fd, 0);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** A line with a copy of its bytes, because the reader reuses its buffer. */
export interface KeptLine {
  offset: number;
  length: number;
  bytes: Buffer;
  terminated: boolean;
}

export function linesOf(fd: number, start: number, end: number, count?: ReadCounters): KeptLine[] {
  const kept: KeptLine[] = [];
  for (const line of readLines(fd, start, end, count)) kept.push({ ...line, bytes: Buffer.from(line.bytes) });
  return kept;
}

/** Reads a complete session. @returns its entries and the final state */
export function readWhole(content: string | Buffer): { lines: SessionLine[]; state: ReadState } {
  const bytes = Buffer.from(content);
  const state = { ...INITIAL_READ_STATE };
  return { lines: [...readSession(openFile(bytes), state, bytes.length)], state };
}
