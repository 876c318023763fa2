/** The file of the queries that the picker remembers: the last ones, and those saved by name. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PidexError } from "../../library/index.ts";
import { getDataFolder, toMessage, withRewriteLock } from "../../library/internal.ts";

/** Maximum number of queries in the history: the oldest are dropped. */
const MAX_HISTORY = 500;
/** Longer queries are pasted texts, which are not kept, in UTF-16 code units. */
const MAX_QUERY_LENGTH = 1000;

export interface SavedSearch {
  name: string;
  query: string;
}

interface Stored {
  /** Oldest first, each once. */
  history: string[];
  /** By name. */
  searches: SavedSearch[];
}

/**
 * Queries may contain what is in sessions, so only the user can read the file. Every change reads it again under
 * a lock, so that pickers that write at once lose nothing.
 */
export class StoredQueries {
  readonly #path: string;
  readonly #hasHistory: boolean;

  /** @param hasHistory whether queries are remembered */
  constructor(path: string, hasHistory: boolean) {
    this.#path = path;
    this.#hasHistory = hasHistory;
  }

  /** The last queries, oldest first; empty if there are none, or the file cannot be read. */
  get history(): readonly string[] {
    return this.#hasHistory ? this.#readOr({ history: [], searches: [] }).history : [];
  }

  get searches(): readonly SavedSearch[] {
    return this.#readOr({ history: [], searches: [] }).searches;
  }

  /** Adds a query to the history. Does nothing if that fails: no search depends on it. */
  remember(query: string): void {
    const text = query.trim();
    if (!this.#hasHistory || text === "" || text.length > MAX_QUERY_LENGTH) return;
    try {
      if (this.#read().history.at(-1) === text) return;
      this.#change(({ history, searches }) => {
        const others = history.filter((each) => each !== text);
        return { history: [...others, text].slice(-MAX_HISTORY), searches };
      });
    } catch {
      // see above
    }
  }

  /** Saves a query by name, in place of an earlier one. @throws PidexError `FILE_UNREADABLE`, `FILE_UNWRITABLE` */
  save(search: SavedSearch): void {
    this.#change(({ history, searches }) => {
      const others = searches.filter(({ name }) => name !== search.name);
      return { history, searches: [...others, search].sort((a, b) => a.name.localeCompare(b.name)) };
    });
  }

  /** @throws as `save` */
  remove(name: string): void {
    this.#change(({ history, searches }) => ({
      history,
      searches: searches.filter((each) => each.name !== name),
    }));
  }

  #readOr(otherwise: Stored): Stored {
    try {
      return this.#read();
    } catch {
      return otherwise;
    }
  }

  #read(): Stored {
    try {
      const stored = JSON.parse(readFileSync(this.#path, "utf8")) as Partial<Record<keyof Stored, unknown>>;
      const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
      return {
        history: list(stored.history).filter((each) => typeof each === "string"),
        searches: list(stored.searches).filter(isSearch),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { history: [], searches: [] };
      // It is not replaced: it may contain saved searches.
      const hint = "Correct the file, or delete it.";
      throw new PidexError("FILE_UNREADABLE", `cannot read ${this.#path}: ${toMessage(error)}`, hint, {
        cause: error,
      });
    }
  }

  #change(change: (stored: Stored) => Stored): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      withRewriteLock(this.#path, () => this.#write(change(this.#read())));
    } catch (error) {
      if (error instanceof PidexError) throw error;
      const hint = "Check the folder and its permissions.";
      throw new PidexError("FILE_UNWRITABLE", `cannot write ${this.#path}: ${toMessage(error)}`, hint, {
        cause: error,
      });
    }
  }

  /** Replaces the file. @throws the system's error */
  #write(stored: Stored): void {
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, `${JSON.stringify(stored, null, 1)}\n`, { mode: 0o600 });
      renameSync(temporary, this.#path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function isSearch(value: unknown): value is SavedSearch {
  const { name, query } = (value ?? {}) as Partial<Record<keyof SavedSearch, unknown>>;
  return typeof name === "string" && typeof query === "string";
}

/** Path of the file, in pidex's data folder. @throws PidexError `NO_HOME` */
export function storedQueriesPath(env: NodeJS.ProcessEnv): string {
  return join(getDataFolder(env, process.platform), "queries.json");
}
