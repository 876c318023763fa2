/** Writes session files from others: forks, and sessions with a changed header. */

import { existsSync, fsyncSync, openSync, renameSync, unlinkSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { EntryId } from "../entries.ts";
import { readAt } from "../lines.ts";
import { closeBytes, getByteCount, type SessionBytes } from "../session-bytes.ts";
import type { SessionHeader } from "../session-types.ts";
import { getHeaderVersion, upgradeEntry } from "../upgrade.ts";
import { assertWithin } from "./assert-within.ts";
import { type FileLine, type LineOptions, readFileLines } from "./file-lines.ts";
import { classifyLine, openSessionFile } from "./load.ts";
import { replaceFile, withWriteErrors, writeAll } from "./replace-file.ts";
import { temporaryName } from "./rewrite-lock.ts";

/** Bytes per write. */
const CHUNK_BYTES = 1 << 20;

/**
 * Writes a new session file from a header and the entries of another session, copied byte for byte; entries of an old version are
 * upgraded. The source is not changed.
 *
 * @param within allowed prefixes of the new file's real path
 * @throws PidexError `NOT_A_SESSION` for an empty or invalid source, `FILE_UNREADABLE`, `FILE_UNWRITABLE`
 */
export function writeFork(
  source: string,
  target: string,
  header: SessionHeader,
  within?: readonly string[],
): void {
  const from = openSource(source);
  try {
    const readChunks = forkedLines(from, getByteCount(from), header);
    const first = readChunks.next();
    if (first.done) throw noSource(source);
    withWriteErrors(target, () => writeNew(target, [first.value, readChunks], within));
  } finally {
    closeBytes(from);
  }
}

/** Writes a temporary file and renames it when complete: a partial fork would look like a complete one. */
function writeNew(
  target: string,
  [first, readChunks]: [Buffer, Iterable<Buffer>],
  within: readonly string[] | undefined,
): void {
  const temporary = temporaryName(target);
  const fd = openSync(encodePath(temporary), "wx");
  try {
    assertWithin(fd, temporary, within);
    writeAll(fd, first);
    for (const chunk of readChunks) writeAll(fd, chunk);
    fsyncSync(fd);
    if (existsSync(encodePath(target)))
      throw Object.assign(new Error("file already exists"), { code: "EEXIST" });
    renameSync(encodePath(temporary), encodePath(target));
  } catch (error) {
    unlinkSync(encodePath(temporary));
    throw error;
  } finally {
    closeBytes(fd);
  }
}

function openSource(source: string): SessionBytes {
  try {
    return openSessionFile(source);
  } catch (error) {
    if (error instanceof PidexError && systemCode(error.cause) === "ENOENT") throw noSource(source, error);
    throw error;
  }
}

function noSource(source: string, cause?: unknown): PidexError {
  return new PidexError(
    "NOT_A_SESSION",
    `Cannot fork: source session file is empty or invalid: ${source}`,
    "Pass the path of a session file.",
    { cause },
  );
}

function* forkedLines(fd: SessionBytes, size: number, header: SessionHeader): Generator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let hasHeader = false;
  let version = CURRENT_SESSION_VERSION;
  let [parsed, previousId]: [number, EntryId | null] = [0, null];
  const options: LineOptions = {};
  for (const line of readFileLines(fd, { offset: 0, unterminated: false }, size, options)) {
    const object = line.object as Record<string, unknown>;
    if (line.unparsed && hasHeader) {
      if (version < CURRENT_SESSION_VERSION) throw tooLongToUpgrade(line);
      yield Buffer.concat(pending);
      [pending, pendingBytes] = [[], 0];
      yield* readChunks(fd, line.offset, line.length);
      yield Buffer.from("\n");
      parsed++;
      continue;
    }
    const lineKind = classifyLine(line.object, hasHeader);
    if (lineKind === "foreign") return;
    if (lineKind === "header") {
      hasHeader = true;
      version = getHeaderVersion(object as Parameters<typeof getHeaderVersion>[0]);
      // Lines of the current version are copied unchanged, so they need not fit in memory.
      options.parseLong = version < CURRENT_SESSION_VERSION;
      pending.push(Buffer.from(`${JSON.stringify(header)}\n`));
    } else if (lineKind === "entry") {
      const upgraded = upgradeEntry(object, { index: parsed, previousId }, version);
      previousId = (upgraded.id as EntryId | undefined) ?? null;
      const bytes =
        upgraded === object
          ? Buffer.concat([wholeLine(fd, line), Buffer.from("\n")])
          : Buffer.from(`${JSON.stringify(upgraded)}\n`);
      pending.push(bytes);
      pendingBytes += bytes.length;
    }
    if (line.counted && hasHeader) parsed++;
    if (pendingBytes < CHUNK_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/** A range of a file, in chunks. */
function* readChunks(fd: SessionBytes, offset: number, length: number): Generator<Buffer> {
  for (let done = 0; done < length; done += CHUNK_BYTES)
    yield readAt(fd, offset + done, Math.min(CHUNK_BYTES, length - done));
}

function tooLongToUpgrade({ offset, length }: FileLine): PidexError {
  const message = `the line at byte ${offset} is too long to upgrade to version ${CURRENT_SESSION_VERSION}: ${length} bytes`;
  return new PidexError("SESSION_TOO_LARGE", message, "Fork from an entry before it: pidex fork --at.");
}

/** The whole line: the reader keeps only the first bytes of a very long one. */
function wholeLine(
  fd: SessionBytes,
  { bytes, offset, length }: { bytes: Buffer; offset: number; length: number },
): Buffer {
  return bytes.length === length ? bytes : readAt(fd, offset, length);
}

/**
 * Replaces the header line of a session; all other bytes stay the same. A crash leaves the old file or the new one.
 *
 * @throws PidexError `NOT_A_SESSION`, `FILE_UNWRITABLE`
 */
export function rewriteHeader(
  path: string,
  change: (header: SessionHeader) => SessionHeader,
  within?: readonly string[],
): void {
  const write = function* (fd: SessionBytes, size: number) {
    let offset = 0;
    for (const line of readFileLines(fd, { offset: 0, unterminated: false }, size)) {
      const lineKind = classifyLine(line.object, false);
      if (lineKind === "foreign") break;
      if (lineKind !== "header") continue;
      offset = line.offset + line.length;
      yield readAt(fd, 0, line.offset);
      yield JSON.stringify(change(line.object as unknown as SessionHeader));
      break;
    }
    if (offset === 0) {
      throw new PidexError(
        "NOT_A_SESSION",
        `Session file is not a valid pi session: ${path}`,
        "Pass the path of a session file.",
      );
    }
    yield* readChunks(fd, offset, size - offset);
  };
  replaceFile(path, write, undefined, within);
}
