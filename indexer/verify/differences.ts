import type { Difference } from "./verify-answer.ts";

/** Differences kept per file, table and column. */
const MAX_PER_KIND = 3;
const MAX_DIFFERENCES = 1_000;
const MAX_CHARACTERS = 60;

/** A value as a difference shows it, at most 60 characters. Null if there is none. */
export function toShownValue(cell: unknown): string | number | null {
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
