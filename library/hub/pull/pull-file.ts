import { ByteChain } from "../../../src/byte-chain.ts";
import { PidexError } from "../../../src/errors.ts";
import { getFileStamp } from "../../../src/file-identity.ts";
import { toMachinePath } from "../../../src/machine-path.ts";
import { readAt } from "../../../src/session/lines.ts";
import { openForReading } from "../../../src/session/open-for-reading.ts";
import { closeBytes, getByteCount, type SessionBytes } from "../../../src/session/session-bytes.ts";
import { isOpenForWriting } from "../../../src/session/writing/open-for-writing.ts";
import { replaceFile } from "../../../src/session/writing/replace-file.ts";
import type { HubClient } from "../client.ts";
import type { OwnFile } from "../protocol.ts";
import { IncomingFile } from "./incoming.ts";
import { keepLocalLines } from "./keep-local-lines.ts";
import { digestStart, type PullState } from "./pull-state.ts";

/** What a pull needs for each file. */
export interface PullContext {
  hub: Pick<HubClient, "ownBytes">;
  state: PullState;
  /** For files that are not complete yet, on the file system of the session files. */
  incomingFolder: string;
  /** Whether a file is a session of this machine. */
  isLocalSession(path: string): boolean;
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes as they arrive. */
  onReceived(bytes: number): void;
}

/** What became of a file. */
export interface PulledResult {
  outcome:
    | "new"
    | "updated"
    /** It has all that the hub has. */
    | "current"
    /** The user deleted it here. */
    | "deleted"
    /** A session of this machine has the same path and bytes: it was pushed under another name of this machine. */
    | "own";
  /** The copy with lines that were only here. */
  fork?: string;
}

/** How often a file that an agent is writing, or that changes on the hub, is tried. */
const MAX_ATTEMPTS = 5;

/** Thrown when the file changed on one of the sides. */
class ChangedMeanwhile extends Error {}

/**
 * Brings a session file of another machine up to date with the hub. Lines that are only here are kept in a copy.
 *
 * @throws PidexError `FILE_CHANGED`, `FILE_UNWRITABLE`, `FILE_UNREADABLE`, `SESSION_CHANGED` and those of the hub; the signal's reason
 * when aborted
 */
export async function pullFile(file: OwnFile, target: string, context: PullContext): Promise<PulledResult> {
  const result: PulledResult = { outcome: "current" };
  for (let attempt = 1; ; attempt++) {
    context.signal?.throwIfAborted();
    try {
      await tryPull(file, target, context, result);
      return result;
    } catch (error) {
      const isRetried = error instanceof ChangedMeanwhile || hasCode(error, "SESSION_CHANGED");
      if (!isRetried || attempt === MAX_ATTEMPTS) throw isRetried ? changed(target, error) : error;
    }
  }
}

async function tryPull(
  file: OwnFile,
  target: string,
  context: PullContext,
  result: PulledResult,
): Promise<void> {
  const { state, incomingFolder } = context;
  const hubPath = toMachinePath(file.machine, file.path);
  const known = state.get(hubPath);
  const stamp = getFileStamp(target);
  const { cursor, digest } = file;
  const save = (now: string | undefined) => {
    // An agent may have appended meanwhile.
    const stamp = now?.endsWith(` ${cursor}`) ? now : null;
    state.set(hubPath, { target, cursor, digest, stamp, isDeleted: false });
  };
  if (stamp === undefined) {
    if (known) {
      state.set(hubPath, { ...known, isDeleted: true });
      result.outcome = "deleted";
      return;
    }
    if (context.isLocalSession(file.path) && beginsWith(file.path, file)) {
      result.outcome = "own";
      return;
    }
    using incoming = new IncomingFile(incomingFolder);
    await receive(file, incoming, context);
    if (!incoming.moveTo(target)) throw new ChangedMeanwhile();
    save(getFileStamp(target));
    result.outcome = "new";
    return;
  }
  const fd = openForReading(target);
  try {
    const size = getByteCount(fd);
    if (size >= cursor && digestStart(fd, cursor) === digest) {
      save(stamp);
      return;
    }
    using incoming = new IncomingFile(incomingFolder);
    const isBeginning = size < cursor && (await receive(file, incoming, context, { fd, size }));
    if (!isBeginning) {
      const hasLocalLines = !known || size !== known.cursor || digestStart(fd, size) !== known.digest;
      if (hasLocalLines) result.fork = keepLocalLines(target, fd, incomingFolder);
      await receive(file, incoming, context);
    }
    const assertUnchanged = () => {
      if (getFileStamp(target) !== stamp) throw new ChangedMeanwhile();
    };
    if (isOpenForWriting(target)) throw new ChangedMeanwhile(); // an agent would go on in the old file
    replaceFile(target, () => incoming.read(), assertUnchanged);
    save(getFileStamp(target));
    result.outcome = "updated";
  } finally {
    closeBytes(fd);
  }
}

/**
 * Writes the bytes of a file to `incoming`.
 *
 * @param start the file that has its first bytes, if they are the same
 * @returns false if they are not
 */
async function receive(
  { id, cursor, digest }: OwnFile,
  incoming: IncomingFile,
  { hub, signal, onReceived }: PullContext,
  start?: { fd: SessionBytes; size: number },
): Promise<boolean> {
  incoming.clear();
  const chain = new ByteChain();
  const add = (bytes: Buffer) => {
    incoming.write(bytes);
    chain.add(bytes);
  };
  const from = start?.size ?? 0;
  for (let offset = 0; start && offset < from; offset += COPY_BYTES) {
    add(readAt(start.fd, offset, Math.min(COPY_BYTES, from - offset)));
  }
  for await (const bytes of hub.ownBytes(id, from, signal)) {
    const missing = cursor - incoming.size;
    add(bytes.subarray(0, missing)); // the hub may have more by now
    onReceived(Math.min(missing, bytes.length));
    if (incoming.size === cursor) break;
  }
  if (chain.digest === digest && incoming.size === cursor) return true;
  if (start) return false;
  throw new ChangedMeanwhile();
}

const COPY_BYTES = 1 << 20;

/** Whether a file begins with the bytes that the hub has. */
function beginsWith(path: string, { cursor, digest }: OwnFile): boolean {
  const fd = openForReading(path);
  try {
    return digestStart(fd, cursor) === digest;
  } finally {
    closeBytes(fd);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof PidexError && error.code === code;
}

function changed(path: string, cause: unknown): PidexError {
  const hint = "Pull again later.";
  return new PidexError("FILE_CHANGED", `${path} changed during the pull, here or on the hub`, hint, {
    cause,
  });
}
