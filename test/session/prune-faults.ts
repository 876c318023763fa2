/**
 * Random runs of compressing and restoring a session, in which the process is killed at any call of the file system while others
 * append. A killed process does nothing more: from that call on, every call fails before it has an effect.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { compressSession, decompressSession } from "../../src/session/writing/compress-session.ts";
import { findLeftovers, settleLeftovers } from "../../src/session/writing/find-leftovers.ts";

const original = { ...fs };

const CALLS = [
  ...["openSync", "writeSync", "readSync", "fsyncSync", "fstatSync", "statSync", "lstatSync", "existsSync"],
  ...["renameSync", "linkSync", "unlinkSync", "fchmodSync", "futimesSync", "readdirSync"],
] as const;

class Killed extends Error {}

/** Calls `onCall` before each call of the file system. @returns undoes it */
function patchCalls(onCall: () => void): () => void {
  // biome-ignore lint/suspicious/noExplicitAny: whatever they take and give is passed on
  const patched = fs as unknown as Record<string, (...args: any[]) => unknown>;
  for (const name of CALLS) {
    const call = patched[name] as (...args: unknown[]) => unknown;
    patched[name] = (...args) => {
      onCall();
      return call(...args);
    };
  }
  syncBuiltinESMExports();
  return () => {
    for (const name of CALLS) patched[name] = original[name] as never;
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

/** Calls between the open and the write of an appender: agents open, append one line and close. */
const MAX_OPEN_CALLS = 4;

export interface FaultRun {
  /** Which operation was killed, and at which call; undefined if it ended before. */
  killedAt: number | undefined;
  appended: number;
  /** Why bytes are lost or changed; undefined if all are there. */
  failure?: string;
}

/** Creates a session in an empty folder, and runs one operation with faults on it. */
export function runWithFaults(folder: string, seed: number): FaultRun {
  const random = createRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  const path = join(folder, `2026-01-05T09-00-00-000Z_${seed}.jsonl`);
  let expected = createContent(random);
  fs.writeFileSync(path, expected, { mode: random() < 0.3 ? 0o640 : 0o600 });
  fs.utimesSync(path, 1_700_000_000 + seed, 1_700_000_000 + seed);
  const { mode, mtimeMs } = fs.statSync(path);
  const isRestoring = random() < 0.4;
  if (isRestoring) compressSession(path);

  const calls = 60 + upTo(20);
  const killAt = random() < 0.85 ? upTo(calls) : undefined;
  const appends = Array.from({ length: random() < 0.6 ? upTo(4) : 0 }, () => {
    const opened = upTo(calls);
    return { opened, written: opened + upTo(MAX_OPEN_CALLS), fd: -1 };
  });
  let call = 0;
  let killedAt: number | undefined;
  let appended = 0;
  const onCall = () => {
    const now = call++;
    if (killAt !== undefined && now >= killAt) {
      killedAt ??= now;
      throw new Killed();
    }
    for (const append of appends) {
      if (append.opened === now) append.fd = original.openSync(path, "a");
      if (append.written === now && append.fd !== -1) expected = write(append, expected);
    }
  };
  const write = (append: { fd: number }, before: Buffer): Buffer => {
    const line = Buffer.from(`${JSON.stringify({ type: "custom", id: `a${appended++}` })}\n`);
    original.writeSync(append.fd, line);
    original.closeSync(append.fd);
    append.fd = -1;
    return Buffer.concat([before, line]);
  };
  const unpatch = patchCalls(onCall);
  try {
    if (isRestoring) decompressSession(path);
    else compressSession(path);
  } catch (error) {
    if (!(error instanceof Killed) && killedAt === undefined && appended === 0) {
      const gaveUp = appends.some(({ opened }) => opened <= call); // an empty new file has been created
      if (!gaveUp) throw error;
    }
  } finally {
    unpatch();
  }
  // A writer that had opened the file when the process was killed finishes its line.
  for (const append of appends) if (append.fd !== -1) expected = write(append, expected);
  for (const name of fs.readdirSync(folder)) if (name.endsWith(".lock")) fs.unlinkSync(join(folder, name));
  const failure = findLoss(folder, path, expected, appended === 0 ? { mode, mtimeMs } : undefined);
  return { killedAt, appended, ...(failure !== undefined && { failure }) };
}

/** Settles and restores the session as the next run does, and compares it. */
function findLoss(
  folder: string,
  path: string,
  expected: Buffer,
  stat: Pick<fs.Stats, "mode" | "mtimeMs"> | undefined,
): string | undefined {
  for (const each of findLeftovers([folder])) settleLeftovers(each);
  if (fs.existsSync(`${path}.zst`)) decompressSession(path);
  const bytes = fs.readFileSync(path);
  if (!bytes.equals(expected)) return `${bytes.length} bytes instead of ${expected.length}`;
  const left = fs.readdirSync(folder).filter((name) => join(folder, name) !== path && !name.endsWith(".tmp"));
  if (left.length > 0) return `left: ${left.join(", ")}`;
  const now = fs.statSync(path);
  if (stat && now.mode !== stat.mode) return `mode ${now.mode} instead of ${stat.mode}`;
  if (stat && now.mtimeMs !== stat.mtimeMs) return `mtime ${now.mtimeMs} instead of ${stat.mtimeMs}`;
  return undefined;
}

/** A session of a few lines; sometimes of more than a frame, torn, or of any bytes. */
function createContent(random: () => number): Buffer {
  const header = `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-01-05T09:00:00.000Z", cwd: "/" })}\n`;
  const lines = Array.from({ length: Math.floor(random() * 30) }, (_, n) => {
    const length = random() < 0.002 ? 1_500_000 : Math.floor(random() * 400);
    return `${JSON.stringify({ type: "message", id: `e${n}`, text: "x".repeat(length) })}\n`;
  });
  const torn = random() < 0.2 ? '{"type":"message","id":"to' : "";
  const noise =
    random() < 0.1 ? Buffer.from(Array.from({ length: 300 }, () => random() * 256)) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(header + lines.join("") + torn), noise]);
}
