import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Random } from "./random.ts";

const ENTRIES_PER_BRANCH = 40;
/** How many entries back a branch starts at most. */
const MAX_BRANCH_DISTANCE = 1_000;

/** Writes a session of short messages with branches, unless it exists. Returns its path. */
export function prepareLongTree(folder: string, entries: number): string {
  const root = join(folder, `tree-${entries}`);
  const id = "0199a5b0-0000-7000-8000-000000000001";
  const file = join(root, "--home-ada-code-long--", `2025-10-02T08-00-00-000Z_${id}.jsonl`);
  if (existsSync(file)) return file;
  // Renamed when it is complete, so that an incomplete file is not reused.
  const unfinished = `${file}.unfinished`;
  mkdirSync(join(file, ".."), { recursive: true });
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, "wx");
  const random = new Random(1);
  const start = Date.UTC(2025, 9, 2, 8);
  const header = { type: "session", version: 3, id, timestamp: toIsoTime(start), cwd: "/home/ada/code/long" };
  let lines = `${JSON.stringify(header)}\n`;
  for (let n = 0; n < entries; n++) {
    const distance =
      n % ENTRIES_PER_BRANCH === ENTRIES_PER_BRANCH - 1 ? random.between(2, MAX_BRANCH_DISTANCE) : 1;
    const parentId = n === 0 ? null : toEntryId(Math.max(0, n - distance));
    const time = start + n * 1000;
    const role = n % 2 === 0 ? "user" : "assistant";
    const message = { role, content: [{ type: "text", text: `Message ${n}.` }], timestamp: time };
    lines += `${JSON.stringify({ type: "message", id: toEntryId(n), parentId, timestamp: toIsoTime(time), message })}\n`;
    if (lines.length > 1 << 20) {
      writeSync(descriptor, lines);
      lines = "";
    }
  }
  writeSync(descriptor, lines);
  closeSync(descriptor);
  renameSync(unfinished, file);
  return file;
}

function toEntryId(n: number): string {
  return n.toString(16).padStart(8, "0");
}

function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}
