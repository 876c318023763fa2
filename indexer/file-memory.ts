import { isInRoot, type Root } from "../src/session/locations.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { AS_TEXT, RememberedFiles } from "./remembered-files.ts";

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
  #files = new RememberedFiles(new Map());
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
    const files = new Map<string, string>();
    for (const root of roots) this.#readBelow(root, files);
    this.#files = new RememberedFiles(files);
    this.#roots = roots;
    this.#stamp = stamp;
    return this.#files;
  }

  #readBelow(root: Root, into: Map<string, string>): void {
    const { prefix, depth } = root;
    for (let after: string | null = prefix; after !== null; ) {
      const [last, files]: [string | null, string | null] = this.#filesBelow(after, prefix);
      const texts = files === null ? [] : files.split("\0");
      for (let n = 0; n < texts.length; n += 2) {
        const path = texts[n] as string;
        if (depth === undefined || isInRoot(path, root)) into.set(path, texts[n + 1] as string);
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
    const changes = new Map<string, string | undefined>();
    for (const path of paths) {
      const isIn = this.#roots.some((root) => isInRoot(path, root));
      changes.set(path, isIn ? this.#fileAt(path) : undefined);
    }
    this.#files = this.#files.with(changes);
    this.#stamp = after;
    return result;
  }

  /** Does work on this handle that changes no file's row, after which what is known of files is still known. */
  async keeping(work: () => Promise<void>): Promise<void> {
    const before = this.#stampNow();
    const wasKnown = this.#isStill(before);
    await work();
    const after = this.#stampNow();
    if (wasKnown && after[0] === before[0]) this.#stamp = after;
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

function areSame(roots: readonly Root[], others: readonly Root[]): boolean {
  return (
    roots.length === others.length &&
    roots.every(({ prefix, depth }, n) => prefix === others[n]?.prefix && depth === others[n]?.depth)
  );
}
