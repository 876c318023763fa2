import { closeSync, constants, fstatSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../../errors.ts";
import { fileIdentity, identityOf } from "../../file-identity.ts";
import { fsPath } from "../../path-bytes.ts";
import { type ReadPoint, readFileLines } from "./file-lines.ts";
import { type KnownFile, tailOf } from "./load.ts";
import { assertWithin } from "./opened-place.ts";
import { inWords, syncFolder } from "./replace-file.ts";

/** Whether an append is on the disk when it returns (`fsync`), or with the operating system, which a crash of it loses. */
export type Durability = "os" | "fsync";

/** What stands in a file since a writer last looked, in the file's order: its own new line, and others'. */
export type News = typeof OWN | Record<string, unknown>;
export const OWN: unique symbol = Symbol("the line that was appended");

/** A new file, to be written, and looked at. */
const CREATE = "wx+";

/** How often a line is written again that another's torn line swallowed. */
const TRIES = 3;

/** The session file was changed by another process in a way that the writer does not go along with. */
export class SessionChangedError extends PidexError {
  override name = "SessionChangedError";

  constructor(
    path: string,
    how: string,
    hint = "Call reload() to take in what is there now, and append again.",
  ) {
    super("SESSION_CHANGED", `${path} ${how}: nothing was written`, hint);
  }
}

/** The file is not the one that was known: deleted, shortened, or another in its place. */
export class FileReplaced extends Error {}

/** The writing end of one session file. */
export class SessionFile {
  readonly path: string;
  readonly #durability: Durability;
  readonly #within: readonly string[] | undefined;
  #known: KnownFile | undefined;
  /** Byte offset of the line that was written last; 0 for a whole file. */
  lastOffset = 0;

  /** @param within what the file's real path must begin with to be written */
  constructor(path: string, durability: Durability, within?: readonly string[]) {
    this.path = path;
    this.#durability = durability;
    this.#within = within;
  }

  /** Goes on from what was loaded of the file. */
  follow({ identity, point, tail }: KnownFile): void {
    this.#known = { identity, point: { ...point }, tail };
  }

  /**
   * Makes the file with these lines, in one write.
   *
   * @throws PidexError `FILE_UNWRITABLE`, also when there is such a file already
   */
  create(text: string): void {
    this.#write(CREATE, (fd) => {
      try {
        assertWithin(fd, this.path, this.#within);
        writeOnce(fd, text);
        if (this.#durability === "fsync") fsyncSync(fd);
      } catch (error) {
        unlinkSync(fsPath(this.path)); // a part of a session would be taken for all of it
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
   * @throws FileReplaced, also when that came about while the line was written; SessionChangedError when others wrote and
   * `refuse` is set; PidexError `FILE_UNWRITABLE`. Then nothing was written; or, on a full disk, a part, which is a torn
   * line for the next; or, where the disk failed at `fsync`, all, which is then taken in like another's.
   */
  append(line: string, refuse: boolean): News[] {
    const known = this.#known as KnownFile;
    return this.#write(constants.O_RDWR | constants.O_APPEND, (fd) => {
      const point = { ...known.point };
      const news: News[] = [];
      for (let tries = 1; !news.includes(OWN); tries++) {
        if (tries > TRIES) throw new Error(`${TRIES} writes were swallowed by torn lines of others`);
        const size = sizeOf(fd, known);
        for (const { object } of linesFrom(fd, point, size)) if (object) news.push(object);
        if (news.length > 0 && refuse && tries === 1) {
          throw new SessionChangedError(this.path, "was appended to by another process");
        }
        // Behind a torn line, or one without its newline, begins a new one.
        const begin = point.unterminated || size > point.offset ? "\n" : "";
        const end = size + writeOnce(fd, begin + line);
        if (fstatSync(fd).size === end) {
          this.lastOffset = size + begin.length;
          Object.assign(point, { offset: end, unterminated: false });
          news.push(OWN);
          break;
        }
        // Others may have written in between. And one of them may have died within a line just before this one, which
        // then is a part of that.
        for (const { object, offset } of linesFrom(fd, point, fstatSync(fd).size, line)) {
          if (object === OWN) this.lastOffset = offset;
          if (object) news.push(object);
        }
      }
      if (this.#durability === "fsync") fsyncSync(fd);
      if (identityOf(this.path) !== known.identity) throw new FileReplaced("meanwhile");
      // Come in between the look and the write: the next append finds and refuses it.
      if (refuse && news.length > 1) return [OWN];
      this.#known = { identity: known.identity, point, tail: tailOf(fd, point.offset) };
      return news;
    });
  }

  #know(fd: number): void {
    const { dev, ino, size } = fstatSync(fd, { bigint: true });
    const point = { offset: Number(size), unterminated: false };
    this.#known = { identity: `${dev}:${ino}`, point, tail: tailOf(fd, point.offset) };
    this.lastOffset = 0;
  }

  #write<T>(flags: string | number, work: (fd: number) => T): T {
    return inWords(this.path, () => {
      let fd: number;
      try {
        fd = openSync(fsPath(this.path), flags);
      } catch (cause) {
        if (systemCode(cause) === "ENOENT" && flags !== CREATE) throw new FileReplaced("gone", { cause });
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

/** The file's size. @throws FileReplaced when it is not the file that is known, or was written anew */
function sizeOf(fd: number, { identity, point, tail }: KnownFile): number {
  const stat = fstatSync(fd, { bigint: true });
  const { size } = stat;
  const isKnown = fileIdentity(stat) === identity && size >= point.offset;
  if (!isKnown || !tailOf(fd, point.offset).equals(tail)) throw new FileReplaced("another");
  return Number(size);
}

/** Lines from a point on; the one that was just written is `OWN`. */
function* linesFrom(
  fd: number,
  point: ReadPoint,
  end: number,
  own?: string,
): Generator<{ object: News | undefined; offset: number }> {
  const bytes = own === undefined ? undefined : Buffer.from(own.slice(0, -1));
  for (const line of readFileLines(fd, point, end)) {
    const isOwn =
      bytes && line.length === bytes.length && line.bytes.equals(bytes.subarray(0, line.bytes.length));
    yield { object: isOwn ? OWN : line.object, offset: line.offset };
  }
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
