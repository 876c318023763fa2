import Database from "better-sqlite3";
import { type Index, PidexError } from "../../../library/index.ts";
import { readEntries } from "../baseline.ts";
import type { Engine, EntryLocation } from "../engine.ts";

/** A word as FTS5 tokenizes it. */
const WORD = /[\p{L}\p{N}]+/gu;
/** With more words of a pasted text FTS5 is slow, without finding more. */
const MAX_WORDS = 200;

/** FTS5 with default settings: one column, the words of a query quoted and combined with AND or OR, sorted by bm25. */
export class PlainFts5 implements Engine {
  readonly #db: Database.Database;
  readonly #locations: EntryLocation[] = [];
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
      for (const { location, text } of readEntries(roots)) insert.run(this.#locations.push(location), text);
    })();
  }

  async sessions(query: string, limit: number): Promise<string[]> {
    const ids = new Set<string>();
    for (const { session } of this.#search(query)) {
      ids.add(session);
      if (ids.size === limit) break;
    }
    return [...ids];
  }

  async entries(query: string, limit: number): Promise<EntryLocation[]> {
    return this.#search(query).slice(0, limit);
  }

  close(): void {
    this.#db.close();
  }

  #search(query: string): EntryLocation[] {
    const words = [...new Set(query.toLowerCase().match(WORD) ?? [])].slice(0, MAX_WORDS);
    if (words.length === 0) return [];
    const rows = this.#db
      .prepare<[string], { rowid: number }>(
        "SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT 5000",
      )
      .all(words.map((word) => `"${word}"`).join(` ${this.#operator} `));
    return rows.map(({ rowid }) => this.#locations[rowid - 1] as EntryLocation);
  }
}

/** pidex with default options, through its public API. Rejected queries find nothing. */
export function createRecallEngine(index: Index): Engine {
  const emptyIfRejected = async <T>(search: () => Promise<T[]>): Promise<T[]> => {
    try {
      return await search();
    } catch (error) {
      if (error instanceof PidexError) return [];
      throw error;
    }
  };
  return {
    sessions: (query, limit) =>
      emptyIfRejected(async () =>
        (await index.search(query, { limit })).sessions.map(({ session }) => session.id),
      ),
    entries: (query, limit) =>
      emptyIfRejected(async () =>
        (await index.searchEntries(query, { limit })).hits.map(({ sessionId, line }) => ({
          session: sessionId,
          line,
        })),
      ),
  };
}
