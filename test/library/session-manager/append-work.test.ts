/** Bytes that an append reads and writes, as counted by the kernel. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

const KERNEL = "/proc/thread-self/io";
const APPENDS = 1_000;

/** Reads a counter of this thread by its name in `/proc`. */
function counter(counts: string, name: "rchar" | "wchar" | "syscr" | "syscw"): number {
  return Number(new RegExp(`${name}: (\\d+)`).exec(counts)?.[1]);
}

/** Average work of one append to a session with a number of entries. */
function appendsTo(entries: number) {
  const path = join(temporaryFolder(), "session.jsonl");
  const at = { version: 3, timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
  const message = { role: "user" as const, content: "x".repeat(100), timestamp: 0 };
  const lines: object[] = [{ type: "session", id: "long", ...at }];
  for (let n = 0; n < entries; n++) {
    lines.push({ type: "message", id: `${n}`, parentId: n ? `${n - 1}` : null, ...at, message });
  }
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const session = SessionManager.open(path);
  const { size } = statSync(path);

  const before = readFileSync(KERNEL, "utf8");
  for (let n = 0; n < APPENDS; n++) session.appendMessage(message);
  const after = readFileSync(KERNEL, "utf8");

  const lineBytes = statSync(path).size - size;
  // Node itself reads and writes a little, for example to read the counters: less than one operation per append.
  const each = (name: Parameters<typeof counter>[1], beside = 0) =>
    Math.floor((counter(after, name) - counter(before, name) - beside) / APPENDS);
  return {
    bytesRead: each("rchar"),
    reads: each("syscr"),
    writes: each("syscw"),
    bytesBesideLines: each("wchar", lineBytes),
  };
}

test.skipIf(!existsSync(KERNEL))(
  "an append reads 128 bytes and writes its line, however long the session",
  () => {
    const work = { bytesRead: 128, reads: 2, writes: 1, bytesBesideLines: 0 };
    expect(appendsTo(3)).toEqual(work);
    expect(appendsTo(30_000)).toEqual(work);
  },
);
