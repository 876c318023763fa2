import { toFileIdentity } from "../src/file-identity.ts";
import { EXTRACTION } from "../src/store/extraction.ts";
import { type FileStat, hasChanged, type PlannedRow, plan, toFileStat } from "./plan.ts";

/** The columns of a `file` row that a comparison with the disk needs. */
export interface CachedFile extends PlannedRow {
  id: number;
  path: string;
  /** The `stat` at which the file was last found unchanged. Comparing with it avoids comparing strings. */
  unchangedStat?: FileStat;
}

/** Whether a `stat` equals the one at which the file was last found unchanged. */
function isSameStat({ unchangedStat }: CachedFile, stat: FileStat): boolean {
  return (
    unchangedStat !== undefined &&
    !hasChanged(unchangedStat, stat) &&
    unchangedStat.ino === stat.ino &&
    unchangedStat.dev === stat.dev
  );
}

/** Whether a row has not changed since it was read. */
export function isSameRow({ unchangedStat: _, ...file }: CachedFile, row: CachedFile | undefined): boolean {
  const columns = Object.entries(file) as [keyof CachedFile, unknown][];
  return row !== undefined && columns.every(([column, value]) => row[column] === value);
}

/** Indexed files by path. */
export interface FilesByPath {
  readonly size: number;
  has(path: string): boolean;
  get(path: string): CachedFile | undefined;
  values(): Iterable<CachedFile>;
}

/** The columns of a file row as one string, those that a `stat` shows first. No column contains a space, and neither paths nor columns contain NUL. */
export const PACKED_COLUMNS_SQL = `inode || ' ' || size || ' ' || mtime_ns || ' ' || ctime_ns || ' ' || racy || ' ' || extraction || ' ' ||
  id || ' ' || cursor`;

/** The prefix of the packed columns of a file that is unchanged at this `stat`. */
function unchangedPrefix(stat: FileStat): string {
  return `${toFileIdentity(stat)} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} 0 ${EXTRACTION} `;
}

/** Packed columns until the row is needed; undefined for a file that was removed. */
type CachedRow = string | CachedFile | undefined;

/** Changes above which they are merged into a new base map. */
const MAX_CHANGES = 200;

/**
 * The cached rows of files. A row stays one string until it is needed: most processes compare thousands of files once, find
 * nothing new and exit, and creating an object for each file takes as long as the comparison.
 *
 * The set of files is immutable. `with` returns a new one that shares unchanged rows, because copying ten thousand takes
 * longer than reading one appended line.
 */
export class CachedFiles implements FilesByPath {
  readonly #files: Map<string, string | CachedFile>;
  readonly #changes: Map<string, CachedRow>;
  readonly size: number;
  /** How often these rows were compared with the disk before. */
  previousComparisons = 0;

  constructor(files: Map<string, string | CachedFile>, changes: Map<string, CachedRow> = new Map()) {
    this.#files = files;
    this.#changes = changes;
    let size = files.size;
    for (const [path, file] of changes) size += Number(file !== undefined) - Number(files.has(path));
    this.size = size;
  }

  has(path: string): boolean {
    return this.#lookUp(path) !== undefined;
  }

  get(path: string): CachedFile | undefined {
    const known = this.#lookUp(path);
    if (typeof known !== "string") return known;
    const file = unpackFile(path, known);
    (this.#changes.has(path) ? this.#changes : this.#files).set(path, file);
    return file;
  }

  *values(): Generator<CachedFile> {
    for (const path of new Set([...this.#files.keys(), ...this.#changes.keys()])) {
      const file = this.get(path);
      if (file) yield file;
    }
  }

  /** Returns a copy with some rows replaced or removed. */
  with(changes: ReadonlyMap<string, string | undefined>): CachedFiles {
    const all = new Map([...this.#changes, ...changes]);
    const other = new CachedFiles(this.#files, all);
    const files = all.size > MAX_CHANGES ? new CachedFiles(other.#merge()) : other;
    files.previousComparisons = this.previousComparisons;
    return files;
  }

  /** Whether a file is indexed and did not change. */
  isUnchanged(path: string, stat: FileStat): boolean {
    const known = this.#lookUp(path);
    if (known === undefined) return false;
    // The first comparison keeps no `stat`: in most processes it is the only one.
    if (
      typeof known === "string" &&
      this.previousComparisons === 0 &&
      known.startsWith(unchangedPrefix(stat))
    )
      return true;
    const file = this.get(path) as CachedFile;
    if (isSameStat(file, stat)) return true;
    if (plan(stat, file) !== "skip") return false;
    file.unchangedStat = toFileStat(stat); // without its other fields
    return true;
  }

  #lookUp(path: string): CachedRow {
    return this.#changes.size > 0 && this.#changes.has(path)
      ? this.#changes.get(path)
      : this.#files.get(path);
  }

  #merge(): Map<string, string | CachedFile> {
    const files = new Map(this.#files);
    for (const [path, file] of this.#changes) {
      if (file === undefined) files.delete(path);
      else files.set(path, file);
    }
    return files;
  }
}

function unpackFile(path: string, text: string): CachedFile {
  const [inode = "", size, mtime_ns = "", ctime_ns = "", ...numbers] = text.split(" ");
  const [racy = 0, extraction = 0, id = 0, cursor = 0] = numbers.map(Number);
  const times = { mtime_ns, ctime_ns, unchangedStat: undefined };
  return { id, path, inode, size: Number(size), racy, cursor, extraction, ...times };
}
