/** Session files that are made of others: forks, and sessions that move to another working directory. */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, unlinkSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";
import { fsPath } from "../../path-bytes.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { EntryId } from "../entries.ts";
import { readAt } from "../lines.ts";
import type { SessionHeader } from "../session-types.ts";
import { headerVersion, upgradeEntry } from "../upgrade.ts";
import { type FileLine, type LineOptions, readFileLines } from "./file-lines.ts";
import { kindOf, openSessionFile } from "./load.ts";
import { assertWithin } from "./opened-place.ts";
import { inWords, replaceFile, writeAll } from "./replace-file.ts";
import { temporaryName } from "./rewrite-lock.ts";

/** How much is written at once. */
const PIECE_BYTES = 1 << 20;

/**
 * Writes a new session file: the header that is given, and the entries of another session as they stand there, byte for
 * byte; those of an old version upgraded. The source is only read.
 *
 * @param within what the new file's real path must begin with
 * @throws PidexError `NOT_A_SESSION` for a source that is empty or no session, `FILE_UNREADABLE`; the file system's error
 */
export function writeFork(
  source: string,
  target: string,
  header: SessionHeader,
  within?: readonly string[],
): void {
  const from = openSource(source);
  try {
    const pieces = forkedLines(from, fstatSync(from).size, header);
    const first = pieces.next();
    if (first.done) throw noSource(source);
    inWords(target, () => writeNew(target, [first.value, pieces], within));
  } finally {
    closeSync(from);
  }
}

/** Writes a file beside its place, and gives it its name when it is whole: half a fork would be taken for a whole one. */
function writeNew(
  target: string,
  [first, pieces]: [Buffer, Iterable<Buffer>],
  within: readonly string[] | undefined,
): void {
  const temporary = temporaryName(target);
  const fd = openSync(fsPath(temporary), "wx");
  try {
    assertWithin(fd, temporary, within);
    writeAll(fd, first);
    for (const piece of pieces) writeAll(fd, piece);
    fsyncSync(fd);
    if (existsSync(fsPath(target)))
      throw Object.assign(new Error("there is such a file already"), { code: "EEXIST" });
    renameSync(fsPath(temporary), fsPath(target));
  } catch (error) {
    unlinkSync(fsPath(temporary));
    throw error;
  } finally {
    closeSync(fd);
  }
}

function openSource(source: string): number {
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
    "Give the path of a session file.",
    { cause },
  );
}

function* forkedLines(fd: number, size: number, header: SessionHeader): Generator<Buffer> {
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
      yield* pieces(fd, line.offset, line.length);
      yield Buffer.from("\n");
      parsed++;
      continue;
    }
    const kind = kindOf(line.object, hasHeader);
    if (kind === "stranger") return;
    if (kind === "header") {
      hasHeader = true;
      version = headerVersion(object as Parameters<typeof headerVersion>[0]);
      // Nothing is changed in lines of today's version: those need not fit in memory.
      options.parseLong = version < CURRENT_SESSION_VERSION;
      pending.push(Buffer.from(`${JSON.stringify(header)}\n`));
    } else if (kind === "entry") {
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
    if (pendingBytes < PIECE_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/** Bytes of a file, some at a time. */
function* pieces(fd: number, offset: number, length: number): Generator<Buffer> {
  for (let done = 0; done < length; done += PIECE_BYTES)
    yield readAt(fd, offset + done, Math.min(PIECE_BYTES, length - done));
}

function tooLongToUpgrade({ offset, length }: FileLine): PidexError {
  const message = `the line at byte ${offset} has ${length} bytes, too long to be upgraded to version ${CURRENT_SESSION_VERSION}`;
  return new PidexError("SESSION_TOO_LARGE", message, "Fork from an entry before it: pidex fork --at.");
}

/** Of a very long line the reader keeps only the first bytes. */
function wholeLine(
  fd: number,
  { bytes, offset, length }: { bytes: Buffer; offset: number; length: number },
): Buffer {
  return bytes.length === length ? bytes : readAt(fd, offset, length);
}

/**
 * Gives a session another working directory: its header line is written anew, all that follows stays as it is, byte for
 * byte. A crash leaves the old file or the new one.
 *
 * @throws PidexError `NOT_A_SESSION`; the file system's error
 */
export function rewriteHeader(
  path: string,
  change: (header: SessionHeader) => SessionHeader,
  within?: readonly string[],
): void {
  const write = function* (fd: number, size: number) {
    let offset = 0;
    for (const line of readFileLines(fd, { offset: 0, unterminated: false }, size)) {
      const kind = kindOf(line.object, false);
      if (kind === "stranger") break;
      if (kind !== "header") continue;
      offset = line.offset + line.length;
      yield readAt(fd, 0, line.offset);
      yield JSON.stringify(change(line.object as unknown as SessionHeader));
      break;
    }
    if (offset === 0) {
      throw new PidexError(
        "NOT_A_SESSION",
        `Session file is not a valid pi session: ${path}`,
        "Give the path of a session.",
      );
    }
    yield* pieces(fd, offset, size - offset);
  };
  replaceFile(path, write, undefined, within);
}
