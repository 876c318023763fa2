/** A value of a row, as far as it is told: session text is cut. Null where the row, or the column, has none. */
export type ToldValue = string | number | null;

/** One thing in which the index is not what the session files make it. */
export interface Difference {
  /** The session file, or the database file for what belongs to no session. */
  path: string;
  /** The table, `entry_text` for what words find, or `database` for the file that holds them all. */
  table: string;
  /** The line of the session file, from 1, where the row is about one. */
  line?: number;
  /** Where that line begins, in bytes, where the row says so. */
  byteOffset?: number;
  /** A row is not there, should not be there, or says something else. */
  what: "missing" | "extra" | "differs";
  column?: string;
  indexed?: ToldValue;
  expected?: ToldValue;
}

/** So many are kept of those that are alike: of one file, table and column. */
const MOST_ALIKE = 3;
const MOST_KEPT = 1_000;
const MOST_CHARACTERS = 60;

/** A cell of a row as a difference may tell it. */
export function told(cell: unknown): ToldValue {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === "number") return cell;
  const text = Buffer.isBuffer(cell) ? cell.toString("hex") : String(cell);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

interface Alike {
  count: number;
  kept: Difference[];
}

/** Differences as they are found: all are counted, a few of each kind are kept, so that memory stays bounded. */
export class Differences {
  readonly #files = new Map<string, Map<string, Alike>>();
  #kept = 0;

  add(difference: Difference): void {
    const { path, table, column = "", what } = difference;
    const kinds = this.#files.get(path) ?? new Map<string, Alike>();
    this.#files.set(path, kinds);
    const kind = JSON.stringify([table, column, what]);
    const alike = kinds.get(kind) ?? { count: 0, kept: [] };
    kinds.set(kind, alike);
    alike.count++;
    if (alike.kept.length >= MOST_ALIKE || this.#kept >= MOST_KEPT) return;
    alike.kept.push(difference);
    this.#kept++;
  }

  /** Forgets what was found of a file. */
  drop(path: string): void {
    this.#kept -= this.listOf(path).length;
    this.#files.delete(path);
  }

  /** Forgets what was found in one column. */
  dropColumn(table: string, column: string): void {
    const kind = JSON.stringify([table, column, "differs"]);
    for (const [path, kinds] of this.#files) {
      this.#kept -= kinds.get(kind)?.kept.length ?? 0;
      kinds.delete(kind);
      if (kinds.size === 0) this.#files.delete(path);
    }
  }

  /** Forgets what was found in one table. */
  dropTable(table: string): void {
    for (const [path, kinds] of this.#files) {
      for (const [kind, { kept }] of kinds) {
        if ((JSON.parse(kind) as string[])[0] !== table) continue;
        this.#kept -= kept.length;
        kinds.delete(kind);
      }
      if (kinds.size === 0) this.#files.delete(path);
    }
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  /** How many were found. */
  get count(): number {
    let count = 0;
    for (const kinds of this.#files.values()) for (const alike of kinds.values()) count += alike.count;
    return count;
  }

  /** Those that were kept, by file. */
  get list(): Difference[] {
    return this.paths.flatMap((path) => this.listOf(path));
  }

  listOf(path: string): Difference[] {
    return [...(this.#files.get(path)?.values() ?? [])].flatMap(({ kept }) => kept);
  }
}
