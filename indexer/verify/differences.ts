/** A value of a differing row, cut to 60 characters. Null where the row or the column has none. */
export type ShownValue = string | number | null;

/** One thing in which the index differs from what the session files make it. */
export interface Difference {
  /** The session file, or the database file for what belongs to no session. */
  path: string;
  /** The table, `entry_text` for what words find, or `database` for the file that holds them all. */
  table: string;
  /** The line of the session file, from 1, where the row is about one. */
  line?: number;
  /** Where that line begins, in bytes, where the row says so. */
  byteOffset?: number;
  /** A row is missing, should not exist, or holds another value. */
  what: "missing" | "extra" | "differs";
  column?: string;
  indexed?: ShownValue;
  expected?: ShownValue;
}

/** Differences kept of one kind: of one file, table and column. */
const MAX_ALIKE = 3;
const MAX_KEPT = 1_000;
const MAX_CHARACTERS = 60;

/** A cell of a row as a difference shows it. */
export function shownValue(cell: unknown): ShownValue {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === "number") return cell;
  const text = Buffer.isBuffer(cell) ? cell.toString("hex") : String(cell);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

/** Counts all differences and keeps a few of each kind, so that memory stays bounded. */
export class Differences {
  readonly list: Difference[] = [];
  readonly paths = new Set<string>();
  readonly #alike = new Map<string, number>();
  count = 0;

  addAll(differences: Iterable<Difference>): void {
    for (const difference of differences) this.add(difference);
  }

  add(difference: Difference): void {
    const { path, table, column = "", what } = difference;
    this.count++;
    this.paths.add(path);
    const kind = JSON.stringify([path, table, column, what]);
    const alike = this.#alike.get(kind) ?? 0;
    if (alike >= MAX_ALIKE || this.list.length >= MAX_KEPT) return;
    this.#alike.set(kind, alike + 1);
    this.list.push(difference);
  }
}
