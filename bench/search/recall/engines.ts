import Database from "better-sqlite3";
import { type Index, PidexError } from "../../../library/index.ts";
import { entriesBelow } from "../baseline.ts";
import type { Engine, Place } from "../engine.ts";

/** Whatever FTS5 takes for a word. */
const WORD = /[\p{L}\p{N}]+/gu;
/** More of a paste makes FTS5 slow, and finds nothing else. */
const MAX_WORDS = 200;

/** FTS5 as it comes: one column, each word of a question quoted, all or any of them wanted, best first by bm25. */
export class PlainFts5 implements Engine {
  readonly #db: Database.Database;
  readonly #places: Place[] = [];
  readonly #operator: "AND" | "OR";

  constructor(
    path: string,
    roots: readonly string[],
    operator: "AND" | "OR",
    tokenizer: "unicode61" | "porter",
  ) {
    this.#operator = operator;
    this.#db = new Database(path);
    this.#db.exec(`CREATE VIRTUAL TABLE entry USING fts5(text, tokenize = '${tokenizer}')`);
    const insert = this.#db.prepare("INSERT INTO entry (rowid, text) VALUES (?, ?)");
    this.#db.transaction(() => {
      for (const { place, text } of entriesBelow(roots)) insert.run(this.#places.push(place), text);
    })();
  }

  async sessions(ask: string, limit: number): Promise<string[]> {
    const found = new Set<string>();
    for (const { session } of this.#ranked(ask)) {
      found.add(session);
      if (found.size === limit) break;
    }
    return [...found];
  }

  async entries(ask: string, limit: number): Promise<Place[]> {
    return this.#ranked(ask).slice(0, limit);
  }

  close(): void {
    this.#db.close();
  }

  #ranked(ask: string): Place[] {
    const words = [...new Set(ask.toLowerCase().match(WORD) ?? [])].slice(0, MAX_WORDS);
    if (words.length === 0) return [];
    const rows = this.#db
      .prepare<[string], { rowid: number }>(
        "SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT 5000",
      )
      .all(words.map((word) => `"${word}"`).join(` ${this.#operator} `));
    return rows.map(({ rowid }) => this.#places[rowid - 1] as Place);
  }
}

/** pidex through its public API, with its defaults. A query that it refuses finds nothing. */
export function recallEngine(index: Index): Engine {
  const orNothing = async <T>(search: () => Promise<T[]>): Promise<T[]> => {
    try {
      return await search();
    } catch (error) {
      if (error instanceof PidexError) return [];
      throw error;
    }
  };
  return {
    sessions: (ask, limit) =>
      orNothing(async () => (await index.search(ask, { limit })).sessions.map(({ session }) => session.id)),
    entries: (ask, limit) =>
      orNothing(async () =>
        (await index.searchEntries(ask, { limit })).hits.map(({ sessionId, line }) => ({
          session: sessionId,
          line,
        })),
      ),
  };
}
