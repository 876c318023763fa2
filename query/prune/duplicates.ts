import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { PidexError, systemCode } from "../../src/errors.ts";
import { isRecord } from "../../src/session/json.ts";
import { readLines } from "../../src/session/lines.ts";
import { openForReading } from "../../src/session/open-for-reading.ts";
import { parseLine } from "../../src/session/parse-line.ts";
import { closeBytes, getByteCount, type SessionBytes } from "../../src/session/session-bytes.ts";
import type { SessionInfo } from "../answers.ts";

/**
 * Finds session files of which every line but the header is in another session file, byte for byte: copies, and forks that were
 * never continued. Of equal files, one is not a duplicate. Reads only files whose first message text the index has more than once.
 *
 * @returns the file with all lines, by the path of the duplicate
 */
export async function findDuplicates(
  sessions: readonly SessionInfo[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const duplicates = new Map<string, string>();
  const hasMessages = sessions.filter(({ messageCount }) => messageCount > 0);
  for (const sameText of Map.groupBy(hasMessages, ({ firstMessage }) => firstMessage).values()) {
    if (sameText.length < 2) continue;
    const starts = Map.groupBy(sameText, ({ path }) => readOrNothing(path, readFirstMessage));
    for (const [start, group] of starts) {
      if (start === undefined || group.length < 2) continue;
      await findInGroup(group, duplicates, signal);
    }
  }
  return duplicates;
}

/** Compares files that begin with the same message, the largest first: only a larger file, or an equal one, can have all lines. */
async function findInGroup(
  group: readonly SessionInfo[],
  duplicates: Map<string, string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bySize = [...group].sort(
    (a, b) => b.entryCount - a.entryCount || toCreated(a) - toCreated(b) || (a.path < b.path ? -1 : 1),
  );
  const remaining = new Map<string, ReadonlySet<string>>();
  for (const { path } of bySize) {
    await setImmediate();
    signal?.throwIfAborted();
    const lines = readOrNothing(path, hashLines);
    if (!lines) continue;
    const original = remaining.entries().find(([, others]) => lines.isSubsetOf(others));
    if (original) duplicates.set(path, original[0]);
    else remaining.set(path, lines);
  }
}

const toCreated = ({ created }: SessionInfo): number => created?.getTime() ?? 0;

/** A hash of the line of the first message; undefined without one. */
function readFirstMessage(file: SessionBytes): string | undefined {
  for (const line of readLines(file, 0, getByteCount(file))) {
    const { object } = parseLine(line, 0);
    if (isRecord(object) && object.type === "message") return hash(line.bytes);
  }
  return undefined;
}

/** Hashes of all lines, except the header. */
function hashLines(file: SessionBytes): Set<string> {
  const hashes = new Set<string>();
  let hasHeader = false;
  for (const line of readLines(file, 0, getByteCount(file))) {
    if (!hasHeader && parseLine(line, 0).object?.type === "session") hasHeader = true;
    // A line too long to be read as a whole is equal to none.
    else hashes.add(line.bytes.length === line.length ? hash(line.bytes) : `${Math.random()}`);
  }
  return hashes;
}

function hash(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("base64");
}

function readOrNothing<T>(path: string, read: (file: SessionBytes) => T): T | undefined {
  try {
    const file = openForReading(path);
    try {
      return read(file);
    } finally {
      closeBytes(file);
    }
  } catch (error) {
    if (error instanceof PidexError || systemCode(error) !== undefined) return undefined; // unreadable: no duplicate
    throw error;
  }
}
