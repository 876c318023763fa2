import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Entry, extractEntryText } from "../../library/index.ts";
import type { Engine, Place } from "./engine.ts";
import { parseWords } from "./query-terms.ts";

/**
 * What FTS5 does with nothing set: one column with the whole text of an entry, its own tokenizer, its own order.
 * The words of a question are quoted, as anybody has to who passes on what people type; an entry must hold all.
 * Fields are no words and left out, and subagents' sessions are too, since pidex does not show them unless asked.
 */
export class Baseline implements Engine {
  readonly #db: Database.Database;
  readonly #places: Place[] = [];

  /** Reads all sessions below the roots into a database at `path`. */
  constructor(path: string, roots: readonly string[]) {
    this.#db = new Database(path);
    this.#db.exec("CREATE VIRTUAL TABLE entry USING fts5(text)");
    const insert = this.#db.prepare("INSERT INTO entry (rowid, text) VALUES (?, ?)");
    this.#db.transaction(() => {
      for (const { place, text } of entriesBelow(roots)) {
        insert.run(this.#places.push(place), text);
      }
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
    const expression = parseWords(ask)
      .map(({ text, star }) => `"${text.replaceAll('"', '""')}"${star ? " *" : ""}`)
      .join(" ");
    const rows = this.#db
      .prepare<[string], { rowid: number }>("SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY rank")
      .all(expression);
    return rows.map(({ rowid }) => this.#places[rowid - 1] as Place);
  }
}

/** Every entry of every session below the roots, with its whole text. */
export function entriesBelow(roots: readonly string[]): { place: Place; text: string }[] {
  return roots.flatMap(sessionFiles).flatMap(entriesIn);
}

/** The session files of a root, of its project folders or, where it is flat, its own. */
function sessionFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true }).flatMap((item) => {
    const path = join(root, item.name);
    const names = item.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
    return names.filter((name) => name.endsWith(".jsonl"));
  });
}

function entriesIn(path: string): { place: Place; text: string }[] {
  const [first = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const session = String((JSON.parse(first) as { id: unknown }).id);
  return lines.map((line, n) => {
    const { said, thought, called, output } = extractEntryText(JSON.parse(line) as Entry);
    return {
      place: { session, line: n + 2 },
      text: [said, thought, called, output].filter(Boolean).join("\n"),
    };
  });
}
