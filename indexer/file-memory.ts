import type { Database } from "../src/database/open.ts";
import { isInRoot, type Root } from "../src/session/locations.ts";
import { type FileLook, type KnownFile, lookOf } from "./plan.ts";

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
export function isAsBefore({ unchanged }: RememberedFile, stat: FileLook): boolean {
  return (
    unchanged !== undefined &&
    unchanged.size === stat.size &&
    unchanged.mtimeNs === stat.mtimeNs &&
    unchanged.ctimeNs === stat.ctimeNs &&
    unchanged.ino === stat.ino &&
    unchanged.dev === stat.dev
  );
}

/** Keeps that nothing was to be done. */
export function keepAsUnchanged(file: RememberedFile, look: FileLook): void {
  file.unchanged = lookOf(look); // not all that it tells
}

/** Whether a row is what it was. */
export function isSameRow(file: RememberedFile, row: RememberedFile | undefined): boolean {
  return row !== undefined && COLUMNS.every((column) => file[column] === row[column]);
}

/** Files whose rows one transaction may change before it is cheaper to read all rows again. */
const MOST_CHANGES = 100;

/**
 * What the index knows of files, kept as long as nobody changes the database but by `through`: an agent that syncs again
 * and again would read thousands of rows each time, to find that one file has grown.
 */
export class FileMemory {
  readonly #stampNow: () => readonly [version: number, changes: number];
  readonly #filesBelow: (prefix: string) => Row[];
  readonly #fileAt: (path: string) => Row | undefined;
  #files: ReadonlyMap<string, RememberedFile> = new Map();
  /** Which roots these are the files of, and when that was so. */
  #roots: readonly Root[] = [];
  #stamp: readonly [version: number, changes: number] | undefined;

  constructor({ writer }: Database) {
    // What others commit changes the version, what this handle writes the count.
    const stamp = writer.prepare("SELECT data_version, total_changes() FROM pragma_data_version").raw();
    const select = `SELECT ${COLUMNS.join(", ")} FROM file`;
    // No name goes on with the last code point.
    const below = writer.prepare<[string, string], Row>(
      `${select} WHERE path BETWEEN ? AND ? || char(1114111)`,
    );
    const at = writer.prepare<[string], Row>(`${select} WHERE path = ?`);
    below.raw();
    at.raw();
    this.#stampNow = () => stamp.get() as [number, number];
    this.#filesBelow = (prefix) => below.all(prefix, prefix);
    this.#fileAt = (path) => at.get(path);
  }

  /** The files below the roots that the index knows, by their paths. What is learned later does not change the answer. */
  below(roots: readonly Root[]): ReadonlyMap<string, RememberedFile> {
    const stamp = this.#stampNow();
    if (!this.#isStill(stamp) || !areSame(roots, this.#roots)) {
      const files = new Map<string, RememberedFile>();
      for (const root of roots) {
        for (const row of this.#filesBelow(root.prefix)) {
          const file = fileOf(row);
          if (isInRoot(file.path, root)) files.set(file.path, file);
        }
      }
      this.#files = files;
      this.#roots = roots;
      this.#stamp = stamp;
    }
    return this.#files;
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
    const files = new Map(this.#files);
    for (const path of paths) {
      const row = this.#fileAt(path);
      if (row && this.#roots.some((root) => isInRoot(path, root))) files.set(path, fileOf(row));
      else files.delete(path);
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

type Row = [
  id: number,
  path: string,
  inode: string,
  size: number,
  mtime_ns: string,
  ctime_ns: string,
  racy: number,
  cursor: number,
  extraction: number,
];

function fileOf([id, path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction]: Row): RememberedFile {
  return { id, path, inode, size, mtime_ns, ctime_ns, racy, cursor, extraction, unchanged: undefined };
}

function areSame(roots: readonly Root[], others: readonly Root[]): boolean {
  return (
    roots.length === others.length &&
    roots.every(({ prefix, depth }, n) => prefix === others[n]?.prefix && depth === others[n]?.depth)
  );
}
