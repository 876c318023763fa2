import { fileIdentity } from "../src/file-identity.ts";
import { EXTRACTION } from "../src/store/sqlite/extraction.ts";
import { type FileLook, type KnownFile, lookOf, plan } from "./plan.ts";

/** A row of `file`, as far as a look at the file needs it. */
export interface RememberedFile extends KnownFile {
  id: number;
  path: string;
  /** The look after which nothing was to be done: the same again needs no comparing of texts. */
  unchanged?: FileLook;
}

const COLUMNS = [
  "id",
  "path",
  "inode",
  "size",
  "mtime_ns",
  "ctime_ns",
  "racy",
  "cursor",
  "extraction",
] as const;

/** Whether a look is the same, to the last digit, as the one after which nothing was to be done. */
function isAsBefore({ unchanged }: RememberedFile, stat: FileLook): boolean {
  return (
    unchanged !== undefined &&
    unchanged.size === stat.size &&
    unchanged.mtimeNs === stat.mtimeNs &&
    unchanged.ctimeNs === stat.ctimeNs &&
    unchanged.ino === stat.ino &&
    unchanged.dev === stat.dev
  );
}

/** Whether a row is what it was. */
export function isSameRow(file: RememberedFile, row: RememberedFile | undefined): boolean {
  return row !== undefined && COLUMNS.every((column) => file[column] === row[column]);
}

/** What is known of files, by their paths. */
export interface KnownFiles {
  readonly size: number;
  has(path: string): boolean;
  get(path: string): RememberedFile | undefined;
  values(): Iterable<RememberedFile>;
}

/** The columns of a file as one text: what a look tells stands first. No path and no column has a NUL, no column a blank. */
export const AS_TEXT = `inode || ' ' || size || ' ' || mtime_ns || ' ' || ctime_ns || ' ' || racy || ' ' || extraction || ' ' ||
  id || ' ' || cursor`;

/** How the text of a file begins of which nothing is to be read, as long as a look tells the same. */
function beginningOf(look: FileLook): string {
  return `${fileIdentity(look)} ${look.size} ${look.mtimeNs} ${look.ctimeNs} 0 ${EXTRACTION} `;
}

/** A text, until more is asked of a file; undefined where it is no longer known. */
type Remembered = string | RememberedFile | undefined;

/** Files that are other than those that all began with, above which a new beginning is made of both. */
const MOST_CHANGES = 200;

/**
 * What is remembered of files: a text each, until more is asked of one. Most processes look at thousands of files once,
 * find nothing new, and end; to make an object of each takes as long as to look.
 *
 * Which files these are never changes under who looks. Where some are other, that is a new one, which shares the rest: a
 * copy of ten thousand takes longer than to read a line that was appended.
 */
export class RememberedFiles implements KnownFiles {
  readonly #files: Map<string, string | RememberedFile>;
  readonly #changes: Map<string, Remembered>;
  readonly size: number;
  /** How often all were looked at before. */
  looks = 0;

  constructor(files: Map<string, string | RememberedFile>, changes: Map<string, Remembered> = new Map()) {
    this.#files = files;
    this.#changes = changes;
    let size = files.size;
    for (const [path, file] of changes) size += Number(file !== undefined) - Number(files.has(path));
    this.size = size;
  }

  has(path: string): boolean {
    return this.#at(path) !== undefined;
  }

  get(path: string): RememberedFile | undefined {
    const known = this.#at(path);
    if (typeof known !== "string") return known;
    const file = fileOf(path, known);
    (this.#changes.has(path) ? this.#changes : this.#files).set(path, file);
    return file;
  }

  *values(): Generator<RememberedFile> {
    for (const path of new Set([...this.#files.keys(), ...this.#changes.keys()])) {
      const file = this.get(path);
      if (file) yield file;
    }
  }

  /** The same, but for some files. */
  with(changes: ReadonlyMap<string, string | undefined>): RememberedFiles {
    const all = new Map([...this.#changes, ...changes]);
    const other = new RememberedFiles(this.#files, all);
    const files = all.size > MOST_CHANGES ? new RememberedFiles(other.#together()) : other;
    files.looks = this.looks;
    return files;
  }

  /** Whether a file is known of which nothing is to be read. */
  isUnchanged(path: string, look: FileLook): boolean {
    const known = this.#at(path);
    if (known === undefined) return false;
    // Whoever looks but once keeps no look.
    if (typeof known === "string" && this.looks === 0 && known.startsWith(beginningOf(look))) return true;
    const file = this.get(path) as RememberedFile;
    if (isAsBefore(file, look)) return true;
    if (plan(look, file) !== "skip") return false;
    file.unchanged = lookOf(look); // not all that it tells
    return true;
  }

  #at(path: string): Remembered {
    return this.#changes.size > 0 && this.#changes.has(path)
      ? this.#changes.get(path)
      : this.#files.get(path);
  }

  #together(): Map<string, string | RememberedFile> {
    const files = new Map(this.#files);
    for (const [path, file] of this.#changes) {
      if (file === undefined) files.delete(path);
      else files.set(path, file);
    }
    return files;
  }
}

function fileOf(path: string, text: string): RememberedFile {
  const [inode, size, mtime_ns, ctime_ns, ...numbers] = text.split(" ") as [string, string, string, string];
  const [racy, extraction, id, cursor] = (numbers as string[]).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return {
    ...{ id, path, inode, size: Number(size), mtime_ns, ctime_ns, racy, cursor, extraction },
    unchanged: undefined,
  };
}
