import { sql } from "../sql.ts";
import type { Runner } from "./runner.ts";

/** Shelves with fewer entries are counted each time: that takes little time, and what is added changes their scores. */
const MIN_REMEMBERED = 100_000;
const MAX_AGE_MS = 60_000;

/**
 * Numbers of entries by shelf, of one database. Those of large shelves may be up to a minute old: searches only weigh words by
 * them, and adding up all sessions of a shelf takes longer than a search for a rare word.
 */
export class EntryCounts {
  readonly #now: () => number;
  readonly #remembered = new Map<number, { entries: number; until: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The number of all entries on some shelves, which the reader sees. */
  async count(db: Runner, shelves: readonly number[]): Promise<number> {
    const now = this.#now();
    const known = shelves.map((shelf) => this.#remembered.get(shelf));
    const unknown = shelves.filter((_, n) => (known[n]?.until ?? 0) <= now);
    let sum = known.reduce((total, one) => total + (one && one.until > now ? one.entries : 0), 0);
    if (unknown.length === 0) return sum;
    const { rows } = await sql<{ shelf: number; entries: number }>`
      SELECT shelf, sum(entry_count) AS entries FROM session WHERE shelf = ANY (${unknown}) GROUP BY shelf`.execute(
      db,
    );
    for (const { shelf, entries } of rows) {
      if (entries >= MIN_REMEMBERED) this.#remembered.set(shelf, { entries, until: now + MAX_AGE_MS });
      sum += entries;
    }
    return sum;
  }
}
