import { closeSync, constants, fstatSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";
import { getFileIdentity, toFileIdentity } from "../../file-identity.ts";
import { encodePath } from "../../path-bytes.ts";
import { assertNotCompressed } from "../compressed-session.ts";
import { assertWithin } from "./assert-within.ts";
import { type ReadPosition, readFileLines } from "./file-lines.ts";
import { type FileFingerprint, readTail } from "./load.ts";
import { syncFolder, withWriteErrors } from "./replace-file.ts";

/** When an append returns: `fsync` once it is on disk; `os` once the operating system has it, so a system crash may lose it. */
export type Durability = "os" | "fsync";

/** A line appended to a file since the last read: `OWN`, or the entry of another process. */
export type AppendedLine = typeof OWN_LINE | Record<string, unknown>;
export const OWN_LINE: unique symbol = Symbol("the line that was appended");

/** Flags: create a new file for reading and writing. */
const CREATE = "wx+";

/** Attempts to write a line if it gets merged into another process's torn line. */
const MAX_ATTEMPTS = 3;

/** Another process changed the session file, and the writer cannot continue from that change. */
export class SessionChangedError extends PidexError {
  static {
    const name = { value: "SessionChangedError", writable: true, configurable: true };
    Object.defineProperty(SessionChangedError.prototype, "name", name);
  }

  constructor(path: string, how: string, hint = "Call reload() to read the changes, and append again.") {
    super("SESSION_CHANGED", `${path} ${how}: nothing was written`, hint);
  }
}

/** The file was deleted, truncated or replaced. */
export class FileReplacedError extends Error {}

/** Appends to one session file. */
export class SessionFile {
  readonly path: string;
  readonly #durability: Durability;
  readonly #within: readonly string[] | undefined;
  #known: FileFingerprint | undefined;
  /** Byte offset of the last written line; 0 after writing a whole file. */
  lastOffset = 0;

  /** @param within allowed prefixes of the file's real path */
  constructor(path: string, durability: Durability, within?: readonly string[]) {
    this.path = path;
    this.#durability = durability;
    this.#within = within;
  }

  /** Continues from a loaded file. */
  continueFrom({ identity, point, tail }: FileFingerprint): void {
    this.#known = { identity, point: { ...point }, tail };
  }

  /**
   * Creates the file with these lines, in one write.
   *
   * @throws PidexError `FILE_UNWRITABLE`, also if the file already exists
   */
  create(text: string): void {
    this.#write(CREATE, (fd) => {
      try {
        assertWithin(fd, this.path, this.#within);
        writeOnce(fd, text);
        if (this.#durability === "fsync") fsyncSync(fd);
      } catch (error) {
        unlinkSync(encodePath(this.path)); // a partial session would look complete
        throw error;
      }
      this.#know(fd);
    });
    if (this.#durability === "fsync") syncFolder(dirname(this.path));
  }

  /** Writes the first line of an empty file. @throws SessionChangedError if it is no longer empty */
  writeHeader(text: string): void {
    this.#write(constants.O_RDWR | constants.O_APPEND, (fd) => {
      if (fstatSync(fd).size > 0) throw new SessionChangedError(this.path, "is empty no longer");
      writeOnce(fd, text);
      if (this.#durability === "fsync") fsyncSync(fd);
      this.#know(fd);
    });
  }

  /**
   * Appends one line (with its newline) in one write, after all lines of other processes.
   *
   * @param refuse throw if another process has appended
   * @returns all lines since the last append, including the new one as `OWN`
   * @throws FileReplacedError, also if the file was replaced during the write; SessionChangedError if `refuse` is set and another
   * process has appended; PidexError `FILE_UNWRITABLE`. Then nothing was written; or, on a full disk, a part, which the next append
   * treats as a torn line; or, if `fsync` failed, everything, which the next append reads like another process's line.
   */
  append(line: string, refuse: boolean): AppendedLine[] {
    const known = this.#known as FileFingerprint;
    return this.#write(constants.O_RDWR | constants.O_APPEND, (fd) => {
      const point = { ...known.point };
      const appended: AppendedLine[] = [];
      for (let attempt = 1; !appended.includes(OWN_LINE); attempt++) {
        if (attempt > MAX_ATTEMPTS)
          throw new Error(`${MAX_ATTEMPTS} writes were merged into torn lines of other processes`);
        const size = checkedSize(fd, known);
        for (const { object } of readAppended(fd, point, size)) if (object) appended.push(object);
        if (appended.length > 0 && refuse && attempt === 1) {
          throw new SessionChangedError(this.path, "was appended to by another process");
        }
        // A torn or unterminated last line needs a newline first.
        const prefix = point.unterminated || size > point.offset ? "\n" : "";
        const end = size + writeOnce(fd, prefix + line);
        if (fstatSync(fd).size === end) {
          this.lastOffset = size + prefix.length;
          Object.assign(point, { offset: end, unterminated: false });
          appended.push(OWN_LINE);
          break;
        }
        // Another process wrote in between. If it died within a line just before this one, this line is merged into that.
        for (const { object, offset } of readAppended(fd, point, fstatSync(fd).size, line)) {
          if (object === OWN_LINE) this.lastOffset = offset;
          if (object) appended.push(object);
        }
      }
      if (this.#durability === "fsync") fsyncSync(fd);
      if (getFileIdentity(this.path) !== known.identity) throw new FileReplacedError("meanwhile");
      // Another process appended between the check and the write: the next append detects and refuses that.
      if (refuse && appended.length > 1) return [OWN_LINE];
      this.#known = { identity: known.identity, point, tail: readTail(fd, point.offset) };
      return appended;
    });
  }

  #know(fd: number): void {
    const { dev, ino, size } = fstatSync(fd, { bigint: true });
    const point = { offset: Number(size), unterminated: false };
    this.#known = { identity: `${dev}:${ino}`, point, tail: readTail(fd, point.offset) };
    this.lastOffset = 0;
  }

  #write<T>(flags: string | number, work: (fd: number) => T): T {
    return withWriteErrors(this.path, () => {
      let fd: number;
      try {
        fd = openSync(encodePath(this.path), flags);
      } catch (cause) {
        assertNotCompressed(this.path);
        if (systemCode(cause) === "ENOENT" && flags !== CREATE)
          throw new FileReplacedError("gone", { cause });
        throw cause;
      }
      try {
        if (flags !== CREATE) assertWithin(fd, this.path, this.#within);
        return work(fd);
      } finally {
        closeSync(fd);
      }
    });
  }
}

/** The file's size. @throws FileReplacedError if it is not the known file, or was rewritten */
function checkedSize(fd: number, { identity, point, tail }: FileFingerprint): number {
  const stat = fstatSync(fd, { bigint: true });
  const { size } = stat;
  const isKnown = toFileIdentity(stat) === identity && size >= point.offset;
  if (!isKnown || !readTail(fd, point.offset).equals(tail)) throw new FileReplacedError("another");
  return Number(size);
}

/** The lines after `point`; the line `own` as `OWN`. */
function* readAppended(
  fd: number,
  point: ReadPosition,
  end: number,
  own?: string,
): Generator<{ object: AppendedLine | undefined; offset: number }> {
  const bytes = own === undefined ? undefined : Buffer.from(own.slice(0, -1));
  for (const line of readFileLines(fd, point, end)) {
    const isOwn =
      bytes && line.length === bytes.length && line.bytes.equals(bytes.subarray(0, line.bytes.length));
    yield { object: isOwn ? OWN_LINE : line.object, offset: line.offset };
  }
}

/** Writes in a single call, so that no other process's line can come in between. @throws if only a part was written */
function writeOnce(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  const written = writeSync(fd, bytes);
  if (written < bytes.length) {
    const error = new Error(`only ${written} of ${bytes.length} bytes were written: the disk may be full`);
    throw Object.assign(error, { code: "ENOSPC" });
  }
  return written;
}
