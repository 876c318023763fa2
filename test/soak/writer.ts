/**
 * A process that writes sessions below a root until it is killed, beside others: `node writer.ts <root> <acknowledged>`.
 * Records each appended entry as `<session id> <entry id>`, and `- <session id>` before a session may be lost.
 */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { session as build } from "../../fixtures/builder.ts";
import { PidexError, SessionManager } from "../../library/index.ts";
import { systemCode } from "../../src/errors.ts";
import { isSessionFileName } from "../../src/session/locations.ts";

const [root = "", acknowledged = ""] = process.argv.slice(2);
const PROJECTS = ["shop", "blog", "till"].map((name) => ({
  cwd: `/home/ada/${name}`,
  folder: join(root, `--home-ada-${name}--`),
}));
/** Maximum number of sessions: beyond it some are deleted first. */
const MAX_SESSIONS = 400;

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
const note = (line: string) => appendFileSync(acknowledged, `${line}\n`);
/** Only sessions with this name are deleted or replaced by another tool: their entries may be lost. */
const mayBeLost = (path: string) => path.includes("removable");

function sessionFiles(): string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter(isSessionFileName).map((name) => join(root, name));
}

let count = 0;
const newPath = (name: string) => join(pick(PROJECTS).folder, `${name}-${process.pid}-${++count}.jsonl`);

function append(path: string): void {
  const session = SessionManager.open(path);
  const id = session.getSessionId();
  const acknowledge = (entry: string | undefined) => entry && note(`${id} ${entry}`);
  for (let n = Math.ceil(Math.random() * 12); n > 0; n--) {
    const words = `entry ${++count} of ${process.pid} ${"lorem ".repeat(n ** 3)}`;
    const chance = Math.random();
    if (chance < 0.45)
      acknowledge(session.appendMessage({ role: "user", content: words, timestamp: Date.now() }));
    else if (chance < 0.9) acknowledge(session.appendMessage(createResponse(words)));
    else if (chance < 0.94) acknowledge(session.setName(`Name ${count}`));
    else if (chance < 0.97) acknowledge(session.appendCustomEntry("soak", { words }));
    else if (session.getLeafId())
      acknowledge(session.appendLabelChange(session.getLeafId() as string, `label ${count}`));
  }
}

function createResponse(words: string): Parameters<SessionManager["appendMessage"]>[0] {
  const cost = { input: 0.001, output: 0.002, cacheRead: 0, cacheWrite: 0, total: 0.003 };
  return {
    role: "assistant",
    content: [{ type: "text", text: words }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus",
    usage: { input: count, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: count + 7, cost },
    stopReason: "stop",
    timestamp: Date.now(),
  };
}

const ACTIONS: Record<string, { share: number; act: (path: string) => void }> = {
  append: { share: 70, act: append },
  create: {
    share: 6,
    act: () => {
      if (sessionFiles().length < MAX_SESSIONS)
        SessionManager.open(newPath(Math.random() < 0.3 ? "removable" : "kept"));
    },
  },
  /** An old version, which the first append upgrades by rewriting the file. */
  createOld: {
    share: 3,
    act: () => {
      const path = newPath("old");
      const old = build({ id: `old-${process.pid}-${++count}`, version: pick([1, 2] as const) });
      // Created with its content: for other processes, an empty file is a new session.
      writeFileSync(`${path}.new`, old.user("Long ago.").assistant("It was.").text());
      renameSync(`${path}.new`, path);
    },
  },
  fork: {
    share: 4,
    act: (path) => {
      const { cwd, folder } = pick(PROJECTS);
      if (sessionFiles().length < MAX_SESSIONS) SessionManager.forkFrom(path, cwd, folder);
    },
  },
  rename: { share: 5, act: (path) => renameSync(path, newPath(mayBeLost(path) ? "removable" : "renamed")) },
  /** The header changes, so the file is replaced. */
  move: { share: 4, act: (path) => void SessionManager.open(path).moveTo(pick(PROJECTS).cwd) },
  /** Saves a file like another tool: in place or as a new inode, with other bytes, without a lock. */
  rewrite: {
    share: 4,
    act: (path) => {
      if (!mayBeLost(path)) return;
      note(`- ${SessionManager.open(path).getSessionId()}`);
      const lines = readFileSync(path, "utf8").split("\n");
      const kept = `${lines.slice(0, Math.ceil(lines.length / 2)).join("\n")}\n`;
      if (Math.random() < 0.5) return writeFileSync(path, kept);
      writeFileSync(`${path}.saving`, kept);
      renameSync(`${path}.saving`, path);
    },
  },
  remove: {
    share: 4,
    act: (path) => {
      if (!mayBeLost(path)) return;
      note(`- ${SessionManager.open(path).getSessionId()}`);
      rmSync(path);
    },
  },
};

/** Errors that concurrent work on the same file may cause. */
function isExpected(error: unknown): boolean {
  if (systemCode(error) === "ENOENT") return true;
  const code = error instanceof PidexError ? error.code : undefined;
  // A session that was renamed and written to under both names exists twice, and cannot be moved over itself.
  if (code === "BAD_OPTION" && String(error).includes("already exists")) return true;
  return code === "SESSION_CHANGED" || (error instanceof PidexError && systemCode(error.cause) === "ENOENT");
}

const weightedActions = Object.values(ACTIONS).flatMap(({ share, act }) =>
  Array<typeof act>(share).fill(act),
);
for (const { folder, cwd } of PROJECTS) SessionManager.create(cwd, folder);
for (;;) {
  const path = pick(sessionFiles().filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()));
  try {
    pick(weightedActions)(path ?? newPath("kept"));
  } catch (error) {
    if (!isExpected(error)) console.error(error);
  }
  await pause(20 + Math.random() * 40);
}
