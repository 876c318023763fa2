import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Entry, extractEntryText } from "../../library/index.ts";
import type { Engine, EntryLocation } from "./engine.ts";
import { parseWords } from "./query-terms.ts";

/**
 * FTS5 with default settings: one column with the whole text of each entry, the default tokenizer and order. The words of a query
 * are quoted, because typed text is not FTS5 syntax, and an entry must contain all. Fields without text are ignored, and
 * subagents' sessions are not read, because pidex does not search them by default.
 */
export class Baseline implements Engine {
  readonly #db: Database.Database;
  readonly #locations: EntryLocation[] = [];

  /** Indexes all sessions of the roots in a database at `path`. */
  constructor(path: string, roots: readonly string[]) {
    this.#db = new Database(path);
    this.#db.exec("CREATE VIRTUAL TABLE entry USING fts5(text)");
    const insert = this.#db.prepare("INSERT INTO entry (rowid, text) VALUES (?, ?)");
    this.#db.transaction(() => {
      for (const { location, text } of readEntries(roots)) {
        insert.run(this.#locations.push(location), text);
      }
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
    const expression = parseWords(query)
      .map(({ text, isPrefix }) => `"${text.replaceAll('"', '""')}"${isPrefix ? " *" : ""}`)
      .join(" ");
    const rows = this.#db
      .prepare<[string], { rowid: number }>("SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY rank")
      .all(expression);
    return rows.map(({ rowid }) => this.#locations[rowid - 1] as EntryLocation);
  }
}

/** Reads every entry of every session in the roots, with its whole text. */
export function readEntries(roots: readonly string[]): { location: EntryLocation; text: string }[] {
  return roots.flatMap(findSessionFiles).flatMap(readFileEntries);
}

/** The session files in a root and its project folders. */
function findSessionFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true }).flatMap((item) => {
    const path = join(root, item.name);
    const names = item.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
    return names.filter((name) => name.endsWith(".jsonl"));
  });
}

function readFileEntries(path: string): { location: EntryLocation; text: string }[] {
  const [first = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const session = String((JSON.parse(first) as { id: unknown }).id);
  return lines.map((line, n) => {
    const { said, thought, called, output } = extractEntryText(JSON.parse(line) as Entry);
    return {
      location: { session, line: n + 2 },
      text: [said, thought, called, output].filter(Boolean).join("\n"),
    };
  });
}
