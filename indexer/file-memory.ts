import { EXTRACTION } from "../src/database/extraction.ts";
import type { Database } from "../src/database/open.ts";
import { isInRoot, type Root } from "../src/session/locations.ts";
import { type FileLook, inodeOf, type KnownFile, lookOf, plan } from "./plan.ts";

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
const AS_TEXT = `inode || ' ' || size || ' ' || mtime_ns || ' ' || ctime_ns || ' ' || racy || ' ' || extraction || ' ' ||
  id || ' ' || cursor`;

/** How the text of a file begins of which nothing is to be read, as long as a look tells the same. */
function beginningOf(look: FileLook): string {
  return `${inodeOf(look)} ${look.size} ${look.mtimeNs} ${look.ctimeNs} 0 ${EXTRACTION} `;
}

/**
 * What is remembered of files: a text each, until more is asked of one. Most processes look at thousands of files once,
 * find nothing new, and end; to make an object of each takes as long as to look.
 */
class RememberedFiles implements KnownFiles {
  readonly #files: Map<string, string | RememberedFile>;
  /** How often all were looked at before. */
  looks = 0;

  constructor(files: Iterable<readonly [string, string | RememberedFile]> = []) {
    this.#files = new Map(files);
  }

  get size(): number {
    return this.#files.size;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  get(path: string): RememberedFile | undefined {
    const known = this.#files.get(path);
    if (typeof known !== "string") return known;
    const file = fileOf(path, known);
    this.#files.set(path, file);
    return file;
  }

  *values(): Generator<RememberedFile> {
    for (const path of this.#files.keys()) yield this.get(path) as RememberedFile;
  }

  remember(path: string, text: string): void {
    this.#files.set(path, text);
  }

  copy(): RememberedFiles {
    const copy = new RememberedFiles(this.#files);
    copy.looks = this.looks;
    return copy;
  }

  forget(path: string): void {
    this.#files.delete(path);
  }

  /** Whether a file is known of which nothing is to be read. */
  isUnchanged(path: string, look: FileLook): boolean {
    const known = this.#files.get(path);
    if (known === undefined) return false;
    // Whoever looks but once keeps no look.
    if (typeof known === "string" && this.looks === 0 && known.startsWith(beginningOf(look))) return true;
    const file = this.get(path) as RememberedFile;
    if (isAsBefore(file, look)) return true;
    if (plan(look, file) !== "skip") return false;
    file.unchanged = lookOf(look); // not all that it tells
    return true;
  }
}

/** Files whose rows are read at once: as texts side by side, which no string may be too long for. */
const FILES_AT_ONCE = 50_000;

/** Files whose rows one transaction may change before it is cheaper to read all rows again. */
const MOST_CHANGES = 100;

/**
 * What the index knows of files, kept as long as nobody changes the database but by `through`: an agent that syncs again
 * and again would read thousands of rows each time, to find that one file has grown.
 */
export class FileMemory {
  readonly #stampNow: () => readonly [version: number, changes: number];
  readonly #filesBelow: (after: string, prefix: string) => [last: string | null, files: string | null];
  readonly #fileAt: (path: string) => string | undefined;
  #files = new RememberedFiles();
  /** Which roots these are the files of, and when that was so. */
  #roots: readonly Root[] = [];
  #stamp: readonly [version: number, changes: number] | undefined;

  constructor({ writer }: Database) {
    // What others commit changes the version, what this handle writes the count.
    const stamp = writer.prepare("SELECT data_version, total_changes() FROM pragma_data_version").raw();
    // As one text, which is read in a third of the time that rows take. No name goes on with the last code point.
    const below = writer.prepare<[string, string, number]>(`
      SELECT max(path), group_concat(text, char(0)) FROM (SELECT path, path || char(0) || ${AS_TEXT} AS text
        FROM file WHERE path > ? AND path <= ? || char(1114111) ORDER BY path LIMIT ?)`);
    const at = writer.prepare<[string], string>(`SELECT ${AS_TEXT} FROM file WHERE path = ?`).pluck();
    below.raw();
    this.#stampNow = () => stamp.get() as [number, number];
    this.#filesBelow = (after, prefix) =>
      below.get(after, prefix, FILES_AT_ONCE) as [string | null, string | null];
    this.#fileAt = (path) => at.get(path);
  }

  /** The files below the roots that the index knows, by their paths. What is learned later does not change the answer. */
  below(roots: readonly Root[]): RememberedFiles {
    const stamp = this.#stampNow();
    if (this.#isStill(stamp) && areSame(roots, this.#roots)) {
      this.#files.looks++;
      return this.#files;
    }
    const files = new RememberedFiles();
    for (const root of roots) this.#readBelow(root, files);
    this.#files = files;
    this.#roots = roots;
    this.#stamp = stamp;
    return files;
  }

  #readBelow(root: Root, into: RememberedFiles): void {
    const { prefix, depth } = root;
    for (let after: string | null = prefix; after !== null; ) {
      const [last, files]: [string | null, string | null] = this.#filesBelow(after, prefix);
      const texts = files === null ? [] : files.split("\0");
      for (let n = 0; n < texts.length; n += 2) {
        const path = texts[n] as string;
        if (depth === undefined || isInRoot(path, root)) into.remember(path, texts[n + 1] as string);
      }
      after = texts.length < 2 * FILES_AT_ONCE ? null : last;
    }
  }

  /**
   * Does a transaction on this handle, after which what is known of files is still known.
   *
   * @param changed the paths of the files whose rows it may have changed, made, or taken away
   */
  through<T>(transaction: () => T, changed: () => readonly string[]): T {
    const before = this.#stampNow();
    const wasKnown = this.#isStill(before);
    const result = transaction();
    const after = this.#stampNow();
    const paths = changed();
    // Where another process committed in between, all is read again at the next look.
    if (!wasKnown || after[0] !== before[0] || paths.length > MOST_CHANGES) return result;
    const files = this.#files.copy();
    for (const path of paths) {
      const text = this.#fileAt(path);
      if (text !== undefined && this.#roots.some((root) => isInRoot(path, root))) files.remember(path, text);
      else files.forget(path);
    }
    this.#files = files;
    this.#stamp = after;
    return result;
  }

  #isStill([version, changes]: readonly [number, number]): boolean {
    return this.#stamp?.[0] === version && this.#stamp[1] === changes;
  }
}

const memories = new WeakMap<Database, FileMemory>();

/** What is remembered of the files of an open database. */
export function memoryOf(db: Database): FileMemory {
  const known = memories.get(db);
  if (known) return known;
  const memory = new FileMemory(db);
  memories.set(db, memory);
  return memory;
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

function areSame(roots: readonly Root[], others: readonly Root[]): boolean {
  return (
    roots.length === others.length &&
    roots.every(({ prefix, depth }, n) => prefix === others[n]?.prefix && depth === others[n]?.depth)
  );
}
