/**
 * Random runs of compressing, restoring and deleting a session, in which processes are killed at any call of the file system while others
 * append. A killed process does nothing more: from that call on, every call fails before it has an effect.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { SessionManager } from "../../library/session-manager.ts";
import { findTrashedSessions } from "../../src/session/find-trashed.ts";
import { readAt } from "../../src/session/lines.ts";
import { toRoot } from "../../src/session/locations.ts";
import { openForReading } from "../../src/session/open-for-reading.ts";
import { restoreSession } from "../../src/session/restore-session.ts";
import { closeBytes, getByteCount } from "../../src/session/session-bytes.ts";
import { compressSession, decompressSession } from "../../src/session/writing/compress-session.ts";
import { findLeftovers, settleLeftovers } from "../../src/session/writing/find-leftovers.ts";

const original = { ...fs };

const CALLS = [
  ...["openSync", "writeSync", "readSync", "fsyncSync", "fstatSync", "statSync", "lstatSync", "existsSync"],
  ...["renameSync", "linkSync", "unlinkSync", "fchmodSync", "futimesSync", "readdirSync"],
] as const;
/** Of `fs/promises`: those that move a file to the trash. */
const ASYNC_CALLS = ["lstat", "mkdir", "open", "rename", "link", "unlink", "rm", "access"] as const;
const originalPromises = { ...fs.promises };

class Killed extends Error {}

/** Calls `onCall` before each call of the file system. @returns undoes it */
function patchCalls(onCall: () => void): () => void {
  const patch = (functions: object, names: readonly string[]) => {
    const patched = functions as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const call = patched[name] as (...args: unknown[]) => unknown;
      patched[name] = (...args) => {
        if (!String(args[0]).startsWith("/proc/")) onCall(); // the number of processes is not the same in each run
        return call(...args);
      };
    }
  };
  patch(fs, CALLS);
  patch(fs.promises, ASYNC_CALLS);
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(CALLS.map((name) => [name, original[name]])));
    Object.assign(fs.promises, Object.fromEntries(ASYNC_CALLS.map((name) => [name, originalPromises[name]])));
    syncBuiltinESMExports();
  };
}

/** Numbers from 0 to 1 that only depend on the seed. */
export function createRandom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3266489917);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** About as many calls as each operation makes. */
const MAX_CALLS = { compress: 60, restore: 60, join: 110, delete: 130 };

/** Calls between the open and the write of an appender: some agents keep a session open. */
const MAX_OPEN_CALLS = 40;

const OPERATIONS = ["compress", "compress", "restore", "restore", "join", "join", "delete"] as const;
type Operation = (typeof OPERATIONS)[number];

export interface FaultRun {
  operation: Operation;
  /** Which operation was killed, and at which call; undefined if it ended before. */
  killedAt: number | undefined;
  appended: number;
  /** Why bytes are lost or changed; undefined if all are there. */
  failure?: string;
}

/** Creates a session in an empty folder, and runs an operation with faults on it; if it was killed, up to three others. */
export async function runWithFaults(folder: string, seed: number): Promise<FaultRun> {
  const random = createRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  const path = join(folder, `2026-01-05T09-00-00-000Z_${seed}.jsonl`);
  const content = createContent(random);
  let expected = content;
  fs.writeFileSync(path, expected, { mode: random() < 0.3 ? 0o640 : 0o600 });
  fs.utimesSync(path, 1_700_000_000 + seed, 1_700_000_000 + seed);
  const { mode, mtimeMs } = fs.statSync(path);
  const operation = OPERATIONS[upTo(OPERATIONS.length)] as Operation;
  if (operation !== "compress" && (operation !== "delete" || random() < 0.7)) compressSession(path);
  if (operation === "join" || (operation === "delete" && random() < 0.7)) {
    const line = Buffer.from('{"type":"custom","id":"tail"}\n');
    fs.appendFileSync(path, line);
    expected = Buffer.concat([expected, line]);
  }
  const isPristine = operation === "compress" || operation === "restore";
  const trash = createTrash(folder, path);

  let killedAt: number | undefined;
  let appended = 0;
  const write = (append: { fd: number }): void => {
    const line = Buffer.from(`${JSON.stringify({ type: "custom", id: `a${appended++}` })}\n`);
    original.writeSync(append.fd, line);
    original.closeSync(append.fd);
    append.fd = -1;
    expected = Buffer.concat([expected, line]);
  };
  /** Runs an operation, and kills it at one of its calls. */
  const runOnce = async (each: Operation) => {
    const calls = MAX_CALLS[each] + upTo(20);
    const killAt = random() < 0.85 ? upTo(calls) : undefined;
    const appends = Array.from({ length: random() < 0.6 ? upTo(4) : 0 }, () => {
      const opened = upTo(calls);
      return { opened, written: opened + upTo(MAX_OPEN_CALLS), fd: -1 };
    });
    let call = 0;
    const unpatch = patchCalls(() => {
      const now = call++;
      if (killAt !== undefined && now >= killAt) {
        killedAt ??= now;
        throw new Killed();
      }
      for (const append of appends) {
        if (append.opened === now) append.fd = original.openSync(path, "a");
        if (append.written === now && append.fd !== -1) write(append);
      }
    });
    try {
      if (each === "compress") compressSession(path);
      else if (each === "delete") await trash.delete();
      else decompressSession(path);
    } catch (error) {
      if (!(error instanceof Killed) && killedAt === undefined && appended === 0) {
        const gaveUp = appends.some(({ opened }) => opened <= call); // an empty new file has been created
        if (!gaveUp) throw error;
      }
    } finally {
      unpatch();
    }
    // A writer that had opened the file when the process was killed finishes its line.
    for (const append of appends) if (append.fd !== -1) write(append);
    for (const name of fs.readdirSync(folder)) if (name.endsWith(".lock")) fs.unlinkSync(join(folder, name));
  };
  await runOnce(operation);
  // What one killed process left may be found by another one that is killed.
  if (operation !== "delete") {
    for (let left = upTo(4); left > 0 && killedAt !== undefined; left--) {
      if (random() < 0.5) {
        const append = { fd: original.openSync(path, "a") };
        write(append);
      }
      await runOnce(random() < 0.5 ? "compress" : "join");
    }
  }
  if (operation === "delete") await trash.restore();
  const failure = findLoss(
    folder,
    path,
    { content, all: expected },
    isPristine && appended === 0 ? { mode, mtimeMs } : undefined,
  );
  return { operation, killedAt, appended, ...(failure !== undefined && { failure }) };
}

/** A trash of its own for one session. */
function createTrash(folder: string, path: string): { delete(): Promise<void>; restore(): Promise<void> } {
  const home = join(folder, "home");
  const environment = { HOME: home, XDG_DATA_HOME: join(home, "data"), PATH: "/nowhere" };
  return {
    async delete() {
      await SessionManager.delete(path, { environment, platform: "linux" });
    },
    /** What an agent appended after the session was moved is after it, in a file of its own. */
    async restore() {
      const later = fs.existsSync(path) ? fs.readFileSync(path) : undefined;
      const [trashed] = await findTrashedSessions([toRoot(folder)], { environment, platform: "linux" });
      if (trashed) {
        if (later) fs.unlinkSync(path);
        await restoreSession(trashed);
        if (later) fs.appendFileSync(path, later);
      }
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Settles and restores the session as the next run does, and compares it. */
function findLoss(
  folder: string,
  path: string,
  expected: Expected,
  stat: Pick<fs.Stats, "mode" | "mtimeMs"> | undefined,
): string | undefined {
  // Without a header, an index reads nothing: every state of the files must serve all bytes.
  const served = readServed(path);
  if (!hasSameLines(served, expected))
    return `${served.length} bytes are served instead of ${expected.all.length}, or others`;
  for (const each of findLeftovers([folder])) settleLeftovers(each);
  if (fs.existsSync(`${path}.zst`)) decompressSession(path);
  const bytes = fs.readFileSync(path);
  if (!hasSameLines(bytes, expected))
    return `${bytes.length} bytes instead of ${expected.all.length}, or others`;
  const left = fs.readdirSync(folder).filter((name) => join(folder, name) !== path && !name.endsWith(".tmp"));
  if (left.length > 0) return `left: ${left.join(", ")}`;
  const now = fs.statSync(path);
  if (stat && now.mode !== stat.mode) return `mode ${now.mode} instead of ${stat.mode}`;
  if (stat && now.mtimeMs !== stat.mtimeMs) return `mtime ${now.mtimeMs} instead of ${stat.mtimeMs}`;
  return undefined;
}

interface Expected {
  /** What the session had at first. */
  content: Buffer;
  /** With what was appended. */
  all: Buffer;
}

const APPENDED = /\{"type":"custom","id":"a\d+"\}\n/g;

/**
 * Whether a session has the expected bytes. Appended lines may be in another order: of two writers, one may have had the original open
 * while the other one created a new file.
 */
function hasSameLines(found: Buffer, { content, all }: Expected): boolean {
  const split = (bytes: Buffer) => {
    const text = bytes.subarray(content.length).toString("latin1");
    return [text.replaceAll(APPENDED, ""), ...(text.match(APPENDED) ?? []).sort()].join("");
  };
  if (found.equals(all)) return true;
  return found.subarray(0, content.length).equals(content) && split(found) === split(all);
}

function readServed(path: string): Buffer {
  const file = openForReading(path);
  try {
    return readAt(file, 0, getByteCount(file));
  } finally {
    closeBytes(file);
  }
}

/** A session of a few lines; sometimes of more than a frame and, if `isTorn`, without a newline at its end, or of any bytes. */
export function createContent(random: () => number, { isTorn = true } = {}): Buffer {
  const header = `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-01-05T09:00:00.000Z", cwd: "/" })}\n`;
  const lines = Array.from({ length: Math.floor(random() * 30) }, (_, n) => {
    const length = random() < 0.002 ? 1_500_000 : Math.floor(random() * 400);
    return `${JSON.stringify({ type: "message", id: `e${n}`, text: "x".repeat(length) })}\n`;
  });
  const torn = isTorn && random() < 0.2 ? '{"type":"message","id":"to' : "";
  const noise =
    isTorn && random() < 0.1
      ? Buffer.from(Array.from({ length: 300 }, () => random() * 256))
      : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(header + lines.join("") + torn), noise]);
}
