import { PidexError } from "../../src/errors.ts";

/** SQL longer than this is refused, in UTF-16 units. */
const LONGEST_SQL = 100_000;

/** White space and comments as SQLite skips them; an unfinished comment goes on to the end. */
const NOTHING = /(?:[ \t\n\f\r]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y;
const WORD = /[A-Za-z_]+/y;

/**
 * Refuses SQL that does not begin as a question does. SQLite runs some statements, PRAGMA among them, when it prepares
 * them, so that this must be looked at before; that nothing is written, and that it is one statement, it says itself.
 *
 * @throws PidexError `BAD_SQL`
 */
export function checkStatement(sql: string): void {
  if (sql.length > LONGEST_SQL) {
    throw badSql(`the SQL is longer than ${LONGEST_SQL.toLocaleString("en-US")} characters`);
  }
  if (sql.includes("\0")) throw badSql("the SQL holds a NUL character");
  const [first, ...more] = firstWords(sql, 4);
  if (first === undefined) throw badSql("there is no SQL");
  // EXPLAIN, EXPLAIN QUERY PLAN: what is explained is prepared like any other.
  const explained = first === "EXPLAIN" ? more[more[0] === "QUERY" ? 2 : 0] : first;
  if (explained !== undefined && READING.has(explained)) return;
  throw badSql(`${first === "EXPLAIN" ? `EXPLAIN ${explained ?? ""}`.trim() : first} is not allowed`);
}

const READING = new Set(["SELECT", "WITH", "VALUES"]);

/** The words SQL begins with, in capitals; anything that is no word counts as one and ends them. */
function firstWords(sql: string, most: number): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < most) {
    at = endOf(NOTHING, sql, at);
    if (at === sql.length) break;
    const end = endOf(WORD, sql, at);
    words.push(end > at ? sql.slice(at, end).toUpperCase() : String.fromCodePoint(sql.codePointAt(at) ?? 0));
    if (end === at) break;
    at = end;
  }
  return words;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

export const READ_ONLY_HINT = "Write one SELECT, WITH, VALUES or EXPLAIN: pidex sql only reads.";

function badSql(message: string): PidexError {
  return new PidexError("BAD_SQL", message, READ_ONLY_HINT);
}
