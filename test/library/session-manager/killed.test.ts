import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { SessionManager } from "../../../library/session-manager.ts";
import { temporaryFolder } from "../../temporary.ts";

/** More kills: */
const KILLS = Number(process.env.PIDEX_KILLS ?? 8);
/** Maximum writes of a process: it continues while the tests inspect what another one left. */
const APPENDS = 60;
const SCRIPT = join(import.meta.dirname, "writing-process.ts");

function start(agentDir: string, ...args: string[]): ChildProcess {
  const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir };
  return spawn(process.execPath, [SCRIPT, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
}

/** Kills a process at a random moment after its n-th output line. @returns all its output lines */
function killed(child: ChildProcess, after: number): Promise<string[]> {
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    said.push(line);
    if (said.length === after) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 8));
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_, signal) =>
      signal === "SIGKILL"
        ? resolve(said)
        : reject(new Error(`it ended by ${signal}, and said ${said.length}`)),
    );
  });
}

/** Reads a session as the next reader does, and continues writing it. */
function expectWhole(path: string, acknowledged: readonly string[]): void {
  const session = SessionManager.open(path);
  const before = readFileSync(path, "utf8"); // after opening, which may
  const ids = new Set(session.getEntries().map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  for (const { id, parentId } of session.getEntries())
    expect([id, parentId === null || ids.has(parentId)]).toEqual([id, true]);
  const added = session.appendCustomEntry("after", { whole: true });
  const after = readFileSync(path, "utf8");
  expect(after.startsWith(before)).toBe(true);
  const unreadable = after.split("\n").filter((line) => line !== "" && !isJson(line));
  // At most the last line is torn, and it stays unchanged.
  expect(unreadable.length).toBeLessThanOrEqual(1);
  for (const line of unreadable) expect(before.endsWith(line)).toBe(true);
  const again = SessionManager.open(path);
  expect(again.getLeafId()).toBe(added);
  expect(again.getEntryCount()).toBe(ids.size + 1);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Runs work once per kill, a few at a time. */
async function manyTimes(work: (folder: string) => Promise<void>): Promise<void> {
  const root = temporaryFolder();
  let left = Math.ceil(KILLS / 2);
  const worker = async () => {
    while (left-- > 0) await work(mkdtempSync(join(root, "killed-")));
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** Acknowledged entries by file. */
function acknowledgedIn(said: readonly string[]): Map<string, string[]> {
  const byFile = new Map<string, string[]>();
  let now = "";
  for (const line of said) {
    const [, what, path = ""] = /^(now|file) (.*)$/.exec(line) ?? [];
    if (what) byFile.set(path, byFile.get(path) ?? []);
    if (what === "now") now = path;
    if (!what) byFile.get(now)?.push(line);
  }
  return byFile;
}

const TIMEOUT = 20_000 + KILLS * 2_000;

test(
  "a killed writer loses no acknowledged entry, and tears no entry of others",
  () =>
    manyTimes(async (folder) => {
      const said = await killed(
        start(folder, "killed", join(folder, "one.jsonl"), `${APPENDS}`),
        randomInt(2, APPENDS),
      );
      for (const [path, ids] of acknowledgedIn(said)) expectWhole(path, ids);
      // All other files it left can be opened, or are still empty.
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const left = join(folder, name);
        if (!name.endsWith(".jsonl") || statSync(left).size === 0) continue;
        SessionManager.open(left, { readOnly: true });
      }
    }),
  TIMEOUT,
);

/** A version 1 session. */
function oldSession(): string {
  const timestamp = "2025-01-01T00:00:00.000Z";
  const header = { type: "session", id: "old", timestamp, cwd: "/home/ada" };
  const lines = Array.from({ length: 3_000 }, (_, n) => {
    const content = `${n} ${"y".repeat(400)}`;
    return {
      type: "message",
      timestamp,
      message: { role: n % 2 ? "hookMessage" : "user", content, timestamp: n },
    };
  });
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

test(
  "a writer killed during an upgrade leaves either the old file or the new one",
  () =>
    manyTimes(async (folder) => {
      const path = join(folder, "old.jsonl");
      const old = oldSession();
      writeFileSync(path, old, { mode: 0o640 });
      const child = start(folder, "killed", path, `${APPENDS}`);
      // It prints nothing before the upgrade is done, but the upgrade takes a lock: it is killed at moments just
      // after that.
      const watcher = watch(folder, (_, name) => {
        if (name?.endsWith(".lock")) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 25));
      });
      const said = await killed(child, 1);
      watcher.close();
      const text = readFileSync(path, "utf8");
      if (text !== old) {
        expect(JSON.parse(text.slice(0, text.indexOf("\n")))).toMatchObject({ version: 3, id: "old" });
        expect(text.split("\n").length).toBeGreaterThan(3_001);
      } else expect(said).toEqual([]);
      expect(statSync(path).mode & 0o777).toBe(0o640);
      expectWhole(path, acknowledgedIn(said).get(path) ?? []);
    }),
  TIMEOUT,
);
