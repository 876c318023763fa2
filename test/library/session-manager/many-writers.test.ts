import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../../library/session-manager.ts";
import { temporaryFolder } from "../../temporary.ts";

/** PIDEX_WRITERS=8 PIDEX_APPENDS=1000 is the full test, which takes a minute. */
const WRITERS = Number(process.env.PIDEX_WRITERS ?? 4);
const APPENDS = Number(process.env.PIDEX_APPENDS ?? 150);
const TORN = '{"type":"message","id":"to';
const SCRIPT = join(import.meta.dirname, "writing-process.ts");

function write(path: string, who: number): Promise<string[]> {
  const args = [SCRIPT, "append", path, String(APPENDS), `writer-${who}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(said.trim().split("\n").slice(1)) : reject(new Error(`it ended with ${code}`)),
    );
  });
}

test(`${WRITERS} processes that append ${APPENDS} entries each to one session lose none, tear none, and form chains`, async () => {
  const path = join(temporaryFolder(), "shared.jsonl");
  // A crash left a torn line: the first writer starts a new one.
  const first = SessionManager.open(path);
  first.appendMessage({ role: "user", content: "Begin.", timestamp: 0 });
  writeFileSync(path, TORN, { flag: "a" });
  const said = await Promise.all(Array.from({ length: WRITERS }, (_, who) => write(path, who)));

  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  const torn = lines.filter((line) => line === TORN);
  const entries = lines.filter((line) => line !== "" && line !== TORN).map((line) => JSON.parse(line));
  expect(torn).toHaveLength(1);
  expect(entries).toHaveLength(2 + WRITERS * APPENDS);
  const ids = new Set(entries.slice(1).map(({ id }) => id));
  expect(ids.size).toBe(1 + WRITERS * APPENDS);
  expect(said.flat().filter((id) => !ids.has(id))).toEqual([]);
  const parents = entries.slice(1).map(({ parentId }) => parentId);
  expect(parents.filter((id) => id !== null && !ids.has(id))).toEqual([]);
  expect(parents.filter((id) => id === null)).toHaveLength(1);

  // The entries of each writer form a chain; the first session, which was idle, reads all of them.
  expect(first.getEntryCount()).toBe(1);
  first.appendMessage({ role: "user", content: "End.", timestamp: 1 });
  expect(first.getEntryCount()).toBe(2 + WRITERS * APPENDS);
  expect(first.getBranch()).toHaveLength(2);
  for (const theirs of said) {
    const own = new Set(theirs);
    const branch = first.getBranch(theirs.at(-1)).map(({ id }) => id);
    expect(branch.filter((id) => own.has(id))).toEqual(theirs);
    // Before its first entry, other writers may have appended; after it, no other entry is in the chain.
    expect(branch.slice(-theirs.length)).toEqual(theirs);
  }
}, 300_000);
