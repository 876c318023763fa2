import type SQLite from "better-sqlite3";
import type { EntryText } from "../../src/session/text.ts";
import { type Difference, told } from "./differences.ts";

/** Something that stands in a part of an entry, between blanks, and so must be found there. */
export interface Pick {
  part: keyof EntryText;
  words: string;
}

const PARTS = ["said", "thought", "called", "output"] as const;
const PICKS_A_PART = 2;
/** No longer than a person would ask for. */
const LONGEST_PICK = 100;
/** Blanks, and what ends lines and queries, are up to here. */
const BLANK = 32;

/** Some of the words that an entry is to be found by, others each time: so many at most of each of its parts, or in all. */
export function pickWords(text: EntryText, from: "each part" | "one part"): Pick[] {
  const parts = PARTS.filter((part) => text[part]);
  const tries = from === "each part" ? parts.flatMap((part) => Array(PICKS_A_PART).fill(part)) : [any(parts)];
  const picked = new Map<string, Pick>();
  for (const part of tries as (keyof EntryText)[]) {
    const words = pieceAt(text[part], Math.floor(Math.random() * text[part].length));
    if (words && /[\p{L}\p{N}]/u.test(words)) picked.set(`${part} ${words}`, { part, words });
  }
  return [...picked.values()];
}

function any<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}

/** What stands there, from one blank to the next; undefined at a blank, and in what is too long. */
function pieceAt(text: string, at: number): string | undefined {
  let [start, end] = [at, at];
  while (start > 0 && at - start < LONGEST_PICK && text.charCodeAt(start - 1) > BLANK) start--;
  while (end < text.length && end - start <= LONGEST_PICK && text.charCodeAt(end) > BLANK) end++;
  const isWhole = start === 0 || text.charCodeAt(start - 1) <= BLANK;
  return isWhole && end > start && end - start <= LONGEST_PICK ? text.slice(start, end) : undefined;
}

/** Asks one index whether an entry is found by words in a part of it. */
export function prepareFinding(db: SQLite.Database): (entry: number, pick: Pick) => boolean {
  const find = db.prepare("SELECT 1 FROM entry_text WHERE entry_text MATCH ? AND rowid = CAST(? AS INTEGER)");
  return (entry, { part, words }) =>
    find.get(`${part} : "${words.replaceAll('"', '""')}"`, entry) !== undefined;
}

/** As many words are told that are in more or fewer places than they should be. */
const MOST_WORDS = 20;

/**
 * Compares how many entries have each word in each part, and how often: what single entries cannot tell, such as words
 * that were left behind by an entry that is gone.
 */
export function* compareVocabularies(
  indexed: SQLite.Database,
  expected: SQLite.Database,
  path: string,
): Generator<Difference> {
  const [left, right] = [vocabulary(indexed), vocabulary(expected)];
  const sides = [left, right].map((words) => words.iterate()[Symbol.iterator]());
  try {
    const next = (side: 0 | 1) => sides[side]?.next().value as Word | undefined;
    let found = 0;
    let [a, b] = [next(0), next(1)];
    while ((a || b) && found < MOST_WORDS) {
      const order = !a ? 1 : !b ? -1 : orderOf(a, b);
      if (order !== 0 || a?.places !== b?.places) {
        found++;
        const [there, wanted] = [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
        yield {
          path,
          table: "entry_text",
          what: there && wanted ? "differs" : there ? "extra" : "missing",
          column: (there ?? wanted)?.col ?? "",
          ...(there && { indexed: told(`${there.term}: ${there.places}`) }),
          ...(wanted && { expected: told(`${wanted.term}: ${wanted.places}`) }),
        };
      }
      if (order <= 0) a = next(0);
      if (order >= 0) b = next(1);
    }
  } finally {
    for (const side of sides) side.return?.();
  }
}

/** Words that spelling is compared with and that the index lacks. It may have more: a word stays when its last entry goes. */
export function* missingWords(
  indexed: SQLite.Database,
  expected: SQLite.Database,
  path: string,
): Generator<Difference> {
  const isThere = indexed.prepare("SELECT 1 FROM vocabulary WHERE word = ?").pluck();
  let found = 0;
  for (const word of expected.prepare<[], string>("SELECT word FROM vocabulary").pluck().iterate()) {
    if (isThere.get(word) !== undefined) continue;
    yield { path, table: "vocabulary", what: "missing", column: "word", expected: told(word) };
    if (++found === MOST_WORDS) return;
  }
}

interface Word {
  term: string;
  col: string;
  places: string;
}

function vocabulary(db: SQLite.Database): SQLite.Statement<[], Word> {
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_in_part USING fts5vocab ('main', 'entry_text', 'col')",
  );
  return db.prepare(`SELECT term, col, cnt || ' in ' || doc || ' entries' AS places FROM word_in_part`);
}

/** In the order in which FTS5 gives them: by bytes, and by part. */
function orderOf(a: Word, b: Word): number {
  const terms = a.term === b.term ? 0 : Buffer.compare(Buffer.from(a.term), Buffer.from(b.term));
  return terms || PARTS.indexOf(a.col as Pick["part"]) - PARTS.indexOf(b.col as Pick["part"]);
}
