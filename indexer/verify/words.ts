import type SQLite from "better-sqlite3";
import { unequalRows } from "./compare-rows.ts";
import { toShownValue } from "./differences.ts";
import type { Difference } from "./verify-answer.ts";

/** Differing words to report. */
const MAX_WORDS = 20;

/**
 * Compares the number of entries with each word in each part, and of its occurrences: the full-text index stores no text to
 * compare entry by entry.
 */
export function* compareWordCounts(
  index: SQLite.Database,
  fresh: SQLite.Database,
  path: string,
): Generator<Difference> {
  let found = 0;
  for (const { indexed, expected } of unequalRows(wordCounts(index), wordCounts(fresh), 2)) {
    const [, column] = (indexed ?? expected) as [term: string, part: string];
    yield {
      path,
      table: "entry_text",
      what: indexed && expected ? "differs" : indexed ? "extra" : "missing",
      column,
      ...(indexed && { indexed: toShownValue(`${indexed[0]}: ${indexed[2]}`) }),
      ...(expected && { expected: toShownValue(`${expected[0]}: ${expected[2]}`) }),
    };
    if (++found === MAX_WORDS) return;
  }
}

/** Words for spelling corrections that the index lacks. Extra words are fine: a word stays when its last entry is removed. */
export function* missingWords(
  index: SQLite.Database,
  fresh: SQLite.Database,
  path: string,
): Generator<Difference> {
  const findWord = index.prepare("SELECT 1 FROM vocabulary WHERE word = ?").pluck();
  let found = 0;
  for (const word of fresh.prepare<[], string>("SELECT word FROM vocabulary").pluck().iterate()) {
    if (findWord.get(word) !== undefined) continue;
    yield { path, table: "vocabulary", what: "missing", column: "word", expected: toShownValue(word) };
    if (++found === MAX_WORDS) return;
  }
}

function wordCounts(db: SQLite.Database): Iterable<unknown[]> {
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_in_part USING fts5vocab ('main', 'entry_text', 'col')",
  );
  return db
    .prepare<[], unknown[]>("SELECT term, col, cnt || ' in ' || doc || ' entries' FROM word_in_part")
    .raw()
    .iterate();
}
