import { memoizeByObject } from "../src/memoize.ts";
import { isInRoot, type Root } from "../src/session/locations.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import { CachedFiles, PACKED_COLUMNS_SQL } from "./cached-files.ts";

/** Files whose rows one query reads. It concatenates them, so the limit keeps the result below SQLite's maximum string length. */
const MAX_FILES_PER_QUERY = 50_000;

/** Changed files in one transaction above which reading all rows again is cheaper. */
const MAX_CHANGES = 100;

/**
 * The file rows of an open database, cached until the database changes other than through `runTransaction`. Without it, an
 * agent that syncs repeatedly would read thousands of rows each time to find one file that grew.
 */
export class FileCache {
  readonly #readStamp: () => readonly [version: number, changes: number];
  readonly #filesBelow: (after: string, prefix: string) => [last: string | null, files: string | null];
  readonly #fileAt: (path: string) => string | undefined;
  #files = new CachedFiles(new Map());
  /** The roots and the state of the database that `#files` belongs to. */
  #roots: readonly Root[] = [];
  #stamp: readonly [version: number, changes: number] | undefined;

  constructor({ writer }: Database) {
    // Commits by other connections change data_version; writes by this one change total_changes.
    const stamp = writer.prepare("SELECT data_version, total_changes() FROM pragma_data_version").raw();
    // One string is read three times as fast as rows. No file name contains the last code point (1114111).
    const below = writer.prepare<[string, string, number]>(`
      SELECT max(path), group_concat(text, char(0)) FROM (SELECT path, path || char(0) || ${PACKED_COLUMNS_SQL} AS text
        FROM file WHERE path > ? AND path <= ? || char(1114111) ORDER BY path LIMIT ?)`);
    const at = writer
      .prepare<[string], string>(`SELECT ${PACKED_COLUMNS_SQL} FROM file WHERE path = ?`)
      .pluck();
    below.raw();
    this.#readStamp = () => stamp.get() as [number, number];
    this.#filesBelow = (after, prefix) =>
      below.get(after, prefix, MAX_FILES_PER_QUERY) as [string | null, string | null];
    this.#fileAt = (path) => at.get(path);
  }

  /** The indexed files below the roots. The result does not change afterwards. */
  filesBelow(roots: readonly Root[]): CachedFiles {
    const stamp = this.#readStamp();
    if (this.#isCurrent(stamp) && areSameRoots(roots, this.#roots)) {
      this.#files.previousComparisons++;
      return this.#files;
    }
    const files = new Map<string, string>();
    for (const root of roots) this.#readBelow(root, files);
    this.#files = new CachedFiles(files);
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
      after = texts.length < 2 * MAX_FILES_PER_QUERY ? null : last;
    }
  }

  /**
   * Runs a transaction on this connection and updates the cached rows it changed.
   *
   * @param changed the paths of files whose rows the transaction may have inserted, updated or deleted
   */
  runTransaction<T>(transaction: () => T, changed: () => readonly string[]): T {
    const before = this.#readStamp();
    const wasCurrent = this.#isCurrent(before);
    const result = transaction();
    const after = this.#readStamp();
    const paths = changed();
    // If another process committed in between, the next comparison reads all rows again.
    if (!wasCurrent || after[0] !== before[0] || paths.length > MAX_CHANGES) return result;
    const changes = new Map<string, string | undefined>();
    for (const path of paths) {
      const isIncluded = this.#roots.some((root) => isInRoot(path, root));
      changes.set(path, isIncluded ? this.#fileAt(path) : undefined);
    }
    this.#files = this.#files.with(changes);
    this.#stamp = after;
    return result;
  }

  /** Runs work on this connection that changes no file row, and keeps the cache. */
  async runWithoutFileChanges(work: () => Promise<void>): Promise<void> {
    const before = this.#readStamp();
    const wasCurrent = this.#isCurrent(before);
    await work();
    const after = this.#readStamp();
    if (wasCurrent && after[0] === before[0]) this.#stamp = after;
  }

  #isCurrent([version, changes]: readonly [number, number]): boolean {
    return this.#stamp?.[0] === version && this.#stamp[1] === changes;
  }
}

/** The cache of an open database's file rows. */
export const getFileCache = memoizeByObject((db: Database) => new FileCache(db));

function areSameRoots(roots: readonly Root[], others: readonly Root[]): boolean {
  return (
    roots.length === others.length &&
    roots.every(({ prefix, depth }, n) => prefix === others[n]?.prefix && depth === others[n]?.depth)
  );
}
