import type SQLite from "better-sqlite3";
import type { EntryText } from "../src/session/text.ts";
import { CREATE_INDEXED_WORDS } from "../src/store/sqlite/indexed-words.ts";
import { forEachPlainWord, MAX_PLAIN_WORD, MIN_PLAIN_WORD } from "../src/store/words/plain-words.ts";

/** Number of cached words, which are not written again. Limits the memory for hostile texts. */
const WORD_CACHE_SIZE = 50_000;

/** Collects the distinct words of prepared texts. */
export class WordCollector {
  readonly #seen = new Set<string>();
  #added: string[] = [];

  /** Adds the words of an entry. */
  add({ said, thought, called, output }: EntryText): void {
    for (const text of [said, thought, called, output]) forEachPlainWord(text, this.#add);
  }

  readonly #add = (word: string): void => {
    if (this.#seen.has(word)) return;
    if (this.#seen.size >= WORD_CACHE_SIZE) this.#seen.clear();
    this.#seen.add(word);
    this.#added.push(word);
  };

  /** Returns the new words since the last call. */
  take(): string[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }
}

/** Ranges of words, and the letters that words in them consist of. Each takes tens of milliseconds. */
const RANGES: [from: string, to: string, letters: string][] = [
  ...Array.from("abcdefghijklmnopqrstuvwxyz", (letter): [string, string, string] => [
    letter,
    String.fromCharCode(letter.charCodeAt(0) + 1),
    "a-z",
  ]),
  ["\u0370", "\u0530", "\u0370-\u052f"], // Greek and Cyrillic
];

/**
 * Adds all words of the full-text index to the vocabulary, which a large load skips. Listing them from FTS5's tables takes a
 * twentieth of the time of collecting them while reading.
 */
export function fillVocabulary(db: SQLite.Database): Promise<void> {
  return runForRanges(
    db,
    `INSERT OR IGNORE INTO vocabulary (word) SELECT term FROM temp.indexed_word WHERE term >= @from AND term < @to
      AND length(term) BETWEEN ${MIN_PLAIN_WORD} AND ${MAX_PLAIN_WORD} AND term NOT GLOB '*[^' || @letters || ']*'`,
  );
}

/** Deletes the words that no entry has any more. */
export function trimVocabulary(db: SQLite.Database): Promise<void> {
  return runForRanges(
    db,
    `DELETE FROM vocabulary WHERE word >= @from AND word < @to
      AND word NOT IN (SELECT term FROM temp.indexed_word WHERE term >= @from AND term < @to)`,
  );
}

/** Runs a statement for each range, with the words of the full-text index in `temp.indexed_word`. Yields to the event loop. */
async function runForRanges(db: SQLite.Database, sql: string): Promise<void> {
  db.exec(CREATE_INDEXED_WORDS);
  const statement = db.prepare(sql);
  for (const [from, to, letters] of RANGES) {
    statement.run({ from, to, letters });
    await new Promise(setImmediate);
  }
  db.exec("DROP TABLE temp.indexed_word");
}
