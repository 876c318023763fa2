import { PidexError } from "../../../src/errors.ts";
import { openForReading } from "../../../src/session/open-for-reading.ts";
import {
  closeBytes,
  getByteCount,
  getSessionStamp,
  type SessionBytes,
  statBytes,
} from "../../../src/session/session-bytes.ts";
import { toUnreadableError } from "../../../src/unreadable-error.ts";
import type { HubClient } from "../client.ts";
import type { AppendHeader, HubFileState, ShelfName } from "../protocol.ts";
import { FileChangedMeanwhile, type MaskLine, OutgoingFile } from "./outgoing-file.ts";
import type { PushState, SentFile } from "./push-state.ts";

/** A session file to push, and where it goes. */
export interface FileToPush {
  path: string;
  session: string;
  subagent: boolean;
  shelf: ShelfName;
  /** Time of its last message, as in `LocalSession`. */
  modified: Date;
}

/** How far a hub has a file, and on which shelf. */
export type RemoteFile = HubFileState & { shelf: ShelfName | null };

/** The requests of a push. */
export type PushRequests = Pick<HubClient, "exclusions" | "files" | "append" | "forget">;

/** What a push needs for each file. */
export interface PushContext {
  hub: PushRequests;
  state: PushState;
  signal?: AbortSignal | undefined;
  /** Masks the lines of projects of a team. */
  maskLine: MaskLine;
  /** Called with the number of bytes after each request that sent some. */
  onSent(bytes: number): void;
}

/** What became of a file. */
export interface PushedFile {
  bytes: number;
  /** Whether it was deleted from the hub and sent again. */
  resent: boolean;
  /** Whether a line is longer than a hub accepts: it and those after it were not sent. */
  isBlocked: boolean;
}

/** How often a file is compared with the hub again, because either changed during the push. */
const MAX_ATTEMPTS = 5;

/** A stamp of a file that was modified this recently may not change with the next modification, in milliseconds. */
const RACY_MS = 100;

/**
 * Sends what the hub lacks of a file, whole lines only. If the hub has something else, it is deleted there and sent again.
 *
 * @param remote what the hub has, if it was requested already
 * @throws PidexError `FILE_UNREADABLE`, `FILE_CHANGED`, and those of the hub, `SESSION_FORGOTTEN` among them; the signal's reason when aborted
 */
export async function pushFile(
  file: FileToPush,
  context: PushContext,
  remote?: RemoteFile,
): Promise<PushedFile> {
  const result: PushedFile = { bytes: 0, resent: false, isBlocked: false };
  let known = remote;
  for (let attempt = 1; ; attempt++) {
    context.signal?.throwIfAborted();
    try {
      const conflict = await tryPush(file, context, known, result);
      if (!conflict) return result;
      known = conflict;
    } catch (error) {
      if (!(error instanceof FileChangedMeanwhile)) throw error;
      known = undefined;
    }
    if (attempt === MAX_ATTEMPTS) {
      const hint = "Push again when nothing rewrites it.";
      throw new PidexError("FILE_CHANGED", `${file.path} changed during the push`, hint);
    }
  }
}

/** @returns what the hub has, if that is not what was expected */
async function tryPush(
  file: FileToPush,
  context: PushContext,
  remote: RemoteFile | undefined,
  result: PushedFile,
): Promise<RemoteFile | undefined> {
  const { path, shelf } = file;
  const { state } = context;
  const stamp = readStampUnlessRacy(path);
  const fd = openSessionFile(path);
  try {
    const size = getByteCount(fd);
    const outgoing = new OutgoingFile(fd, size, shelf === "mine" ? undefined : context.maskLine);
    const save = () => {
      const sent: SentFile = { session: file.session, shelf, sent: outgoing.position, stamp: null };
      state.set(path, sent);
    };
    await moveToSent(file, context, outgoing, remote, result);
    save();
    const start = outgoing.position;
    for (let at = start; ; ) {
      const next = await outgoing.next();
      if (!next) break;
      const { bytes, after } = next;
      const header = {
        ...{ path, shelf, subagent: file.subagent, cursor: at.cursor, digest: at.digest },
        ...{ next: after.digest, bytes: bytes.length, modified: Number(statBytes(fd).mtimeMs) },
      };
      const conflict = await append(header, bytes, context);
      if (conflict) {
        state.delete(path);
        return conflict;
      }
      save();
      result.bytes += bytes.length;
      context.onSent(bytes.length);
      at = after;
    }
    if (!remote && outgoing.position.cursor === start.cursor) {
      // No append has compared the state with the hub, which can have more: what it confirmed to a push that was killed before it saved that.
      const [known] = await context.hub.files([path], context.signal);
      if (known && (known.cursor !== start.cursor || known.digest !== start.digest)) {
        state.delete(path);
        return known;
      }
    }
    result.isBlocked = outgoing.isBlocked;
    state.set(path, { session: file.session, shelf, sent: outgoing.position, stamp });
    return undefined;
  } finally {
    closeBytes(fd);
  }
}

/** Moves to what the hub has of a file. If that is not the beginning of this file, deletes it there. */
async function moveToSent(
  { path, shelf }: FileToPush,
  { hub, state, signal }: PushContext,
  outgoing: OutgoingFile,
  remote: RemoteFile | undefined,
  result: PushedFile,
): Promise<void> {
  const stored = remote ? undefined : state.get(path);
  if (stored) {
    if (isSameShelf(stored.shelf, shelf) && (await outgoing.resume(stored.sent))) return;
  } else {
    const [known = remote] = remote ? [] : await hub.files([path], signal);
    if (!known || known.cursor === 0) return;
    const isThere = known.shelf === null || isSameShelf(known.shelf, shelf);
    if (isThere && (await outgoing.seek(known))) return;
  }
  state.delete(path);
  await hub.forget([path], signal);
  result.resent = true;
}

/** Adds bytes to a file. @returns what the hub has, if that is not what the header says */
async function append(
  header: AppendHeader,
  bytes: Buffer,
  { hub, signal }: PushContext,
): Promise<RemoteFile | undefined> {
  try {
    const { isConflict, cursor, digest } = await hub.append(header, bytes, signal);
    return isConflict ? { cursor, digest, shelf: header.shelf } : undefined;
  } catch (error) {
    if (!(error instanceof PidexError) || isFatal(error) || error.code === "SESSION_FORGOTTEN") throw error;
    // It may be on another shelf: the state of pushes is older than the settings.
    const [known] = await hub.files([header.path], signal);
    if (known?.shelf && !isSameShelf(known.shelf, header.shelf)) return known;
    throw error;
  }
}

/** Whether an error concerns the hub, not one file. */
export function isFatal({ code }: PidexError): boolean {
  return ["HUB_UNAVAILABLE", "NOT_SIGNED_IN", "UPGRADED", "FILE_UNWRITABLE"].includes(code);
}

export function isSameShelf(one: ShelfName, other: ShelfName): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Opens a session file. @throws PidexError `FILE_UNREADABLE` */
export function openSessionFile(path: string): SessionBytes {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    if (!statBytes(fd).isFile()) throw new Error("not a regular file");
    return fd;
  } catch (error) {
    if (fd !== undefined) closeBytes(fd);
    throw toUnreadableError(path, error);
  }
}

function readStampUnlessRacy(path: string): string | null {
  const stamp = getSessionStamp(path);
  const modified = Number(stamp?.split(" ")[1]) / 1e6;
  return stamp === undefined || Date.now() - modified < RACY_MS ? null : stamp;
}
