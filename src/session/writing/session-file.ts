import { closeSync, constants, fstatSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";
import { type ReadPoint, readFileLines } from "./file-lines.ts";
import type { KnownFile } from "./load.ts";
import { syncFolder } from "./replace-file.ts";

/** Whether an append is on the disk when it returns (`fsync`), or with the operating system, which a crash of it loses. */
export type Durability = "os" | "fsync";

/** What stands in a file since a writer last looked, in the file's order: its own new line, and others'. */
export type News = typeof OWN | Record<string, unknown>;
export const OWN: unique symbol = Symbol("the line that was appended");

/** How often a line is written again that another's torn line swallowed. */
const TRIES = 3;

/** The session file was changed by another process in a way that the writer does not go along with. */
export class SessionChangedError extends PidexError {
  override name = "SessionChangedError";

  constructor(path: string, how: string) {
    super(
      "SESSION_CHANGED",
      `${path} ${how}: nothing was written`,
      "Call reload() to take in what is there now, and append again.",
    );
  }
}

/** The file is not the one that was known: deleted, shortened, or another in its place. */
export class FileReplaced extends Error {}

/** The writing end of one session file. */
export class SessionFile {
  readonly path: string;
  readonly #durability: Durability;
  #known: KnownFile | undefined;
  /** Byte offset of the line that was written last; 0 for a whole file. */
  lastOffset = 0;

  constructor(path: string, durability: Durability) {
    this.path = path;
    this.#durability = durability;
  }

  /** Goes on from what was loaded of the file. */
  follow({ identity, point }: KnownFile): void {
    this.#known = { identity, point: { ...point } };
  }

  /**
   * Makes the file with these lines, in one write.
   *
   * @throws PidexError `FILE_UNWRITABLE`, also when there is such a file already
   */
  create(text: string): void {
    this.#write("wx", (fd) => {
      try {
        writeOnce(fd, text);
        if (this.#durability === "fsync") fsyncSync(fd);
      } catch (error) {
        unlinkSync(this.path); // a part of a session would be taken for all of it
        throw error;
      }
      this.#know(fd);
    });
    if (this.#durability === "fsync") syncFolder(dirname(this.path));
  }

  /** Writes the first line of an empty file, unless another process did meanwhile. */
  start(text: string): void {
    this.#write(constants.O_RDWR | constants.O_APPEND, (fd) => {
      if (fstatSync(fd).size > 0) throw new SessionChangedError(this.path, "is empty no longer");
      writeOnce(fd, text);
      if (this.#durability === "fsync") fsyncSync(fd);
      this.#know(fd);
    });
  }

  /**
   * Appends one line (its newline included) in one write, behind all that others wrote.
   *
   * @returns all lines since the last append, the new one among them as `OWN`
   * @throws FileReplaced; SessionChangedError when others wrote and `refuse` is set; PidexError `FILE_UNWRITABLE`. Then
   * nothing was written, or, on a full disk, a part, which is a torn line for the next.
   */
  append(line: string, refuse: boolean): News[] {
    const known = this.#known as KnownFile;
    return this.#write(constants.O_RDWR | constants.O_APPEND, (fd) => {
      const point = { ...known.point };
      const news: News[] = [];
      for (let tries = 1; ; tries++) {
        const size = sizeOf(fd, known);
        news.push(...objects(fd, point, size));
        if (news.length > 0 && refuse && tries === 1) {
          throw new SessionChangedError(this.path, "was appended to by another process");
        }
        // Behind a torn line, or one without its newline, begins a new one.
        const text = point.unterminated || size > point.offset ? `\n${line}` : line;
        const written = writeOnce(fd, text);
        const isAlone = fstatSync(fd).size === size + written;
        this.lastOffset = size + text.length - line.length;
        if (isAlone) {
          Object.assign(point, { offset: size + written, unterminated: false });
          news.push(OWN);
        } else {
          news.push(...objects(fd, point, fstatSync(fd).size, line));
        }
        // Another process may have died within a line just before this one, which then is a part of that.
        if (news.includes(OWN) || tries === TRIES) break;
      }
      if (!news.includes(OWN)) throw new Error(`${TRIES} writes were swallowed by torn lines of others`);
      if (this.#durability === "fsync") fsyncSync(fd);
      this.#known = { ...known, point };
      return news;
    });
  }

  #know(fd: number): void {
    const { dev, ino, size } = fstatSync(fd, { bigint: true });
    this.#known = { identity: `${dev}:${ino}`, point: { offset: Number(size), unterminated: false } };
  }

  #write<T>(flags: string | number, work: (fd: number) => T): T {
    let fd: number | undefined;
    try {
      fd = openSync(this.path, flags);
      return work(fd);
    } catch (cause) {
      if (cause instanceof FileReplaced || cause instanceof SessionChangedError) throw cause;
      if (systemCode(cause) === "ENOENT" && flags !== "wx") throw new FileReplaced("gone", { cause });
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PidexError(
        "FILE_UNWRITABLE",
        `${this.path} cannot be written: ${reason}`,
        systemCode(cause) === "ENOSPC"
          ? "The disk is full: make room, and append again."
          : "The entry was not added: look at the folder and its permissions.",
        { cause },
      );
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}

/** The file's size. @throws FileReplaced when it is not the file that is known */
function sizeOf(fd: number, { identity, point }: KnownFile): number {
  const { dev, ino, size, nlink } = fstatSync(fd, { bigint: true });
  if (`${dev}:${ino}` !== identity || size < point.offset || nlink === 0n) throw new FileReplaced("another");
  return Number(size);
}

function objects(fd: number, point: ReadPoint, end: number, own?: string): News[] {
  const bytes = own === undefined ? undefined : Buffer.from(own.slice(0, -1));
  const news: News[] = [];
  for (const line of readFileLines(fd, point, end)) {
    if (bytes && line.length === bytes.length && line.bytes.equals(bytes.subarray(0, line.bytes.length))) {
      news.push(OWN);
    } else if (line.object) news.push(line.object);
  }
  return news;
}

/** One write: so that no other writer's line comes in between. @throws when the system took only a part of it */
function writeOnce(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  const written = writeSync(fd, bytes);
  if (written < bytes.length) {
    const error = new Error(
      `only ${written} of ${bytes.length} bytes could be written: the disk may be full`,
    );
    throw Object.assign(error, { code: "ENOSPC" });
  }
  return written;
}
