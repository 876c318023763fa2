/** A value of a row that differs, at most 60 characters. Null if there is none. */
export type ShownValue = string | number | null;

/** One difference between the index and the session files. */
export interface Difference {
  /** The session file, or the database file for data that belongs to no session. */
  path: string;
  /** The table, `entry_text` for the full-text index, or `database` for the database file itself. */
  table: string;
  /** Line of the session file, from 1, if the row has one. */
  line?: number;
  /** Byte offset of that line, if the row has it. */
  byteOffset?: number;
  /** The row is missing, should not exist, or has another value. */
  what: "missing" | "extra" | "differs";
  column?: string;
  indexed?: ShownValue;
  expected?: ShownValue;
}

/** Differences kept per file, table and column. */
const MAX_PER_KIND = 3;
const MAX_DIFFERENCES = 1_000;
const MAX_CHARACTERS = 60;

/** A value as a difference shows it. */
export function toShownValue(cell: unknown): ShownValue {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === "number") return cell;
  const text = Buffer.isBuffer(cell) ? cell.toString("hex") : String(cell);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

/** Counts all differences and keeps a few of each kind, to bound memory. */
export class Differences {
  readonly list: Difference[] = [];
  readonly paths = new Set<string>();
  readonly #countByKind = new Map<string, number>();
  count = 0;

  addAll(differences: Iterable<Difference>): void {
    for (const difference of differences) this.add(difference);
  }

  add(difference: Difference): void {
    const { path, table, column = "", what } = difference;
    this.count++;
    this.paths.add(path);
    const kind = JSON.stringify([path, table, column, what]);
    const sameKind = this.#countByKind.get(kind) ?? 0;
    if (sameKind >= MAX_PER_KIND || this.list.length >= MAX_DIFFERENCES) return;
    this.#countByKind.set(kind, sameKind + 1);
    this.list.push(difference);
  }
}
