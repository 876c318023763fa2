import { PidexError } from "../../src/errors.ts";

/** Maximum length of a statement, in UTF-16 units. */
const MAX_SQL_LENGTH = 100_000;

/** Whitespace and comments as SQLite skips them; an unterminated comment extends to the end. */
const SKIPPED = /(?:[ \t\n\f\r]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y;
const WORD = /[A-Za-z_]+/y;

/**
 * Checks that a statement starts as a query does. This must happen before it is prepared, because SQLite runs some
 * statements, such as PRAGMA, while preparing them. SQLite rejects writes; the driver rejects multiple statements.
 *
 * @throws PidexError `BAD_SQL`
 */
export function checkStatement(sql: string): void {
  if (sql.length > MAX_SQL_LENGTH) {
    throw badSql(`the SQL is longer than ${MAX_SQL_LENGTH.toLocaleString("en-US")} characters`);
  }
  if (sql.includes("\0")) throw badSql("the SQL contains a NUL character");
  const [first, ...more] = firstWords(sql, 4);
  if (first === undefined) throw badSql("the SQL is empty");
  // EXPLAIN prepares the statement after it like any other.
  const keyword = first === "EXPLAIN" ? more[more[0] === "QUERY" ? 2 : 0] : first;
  if (keyword !== undefined && QUERY_KEYWORDS.has(keyword)) return;
  const rejected = first === "EXPLAIN" ? `EXPLAIN ${keyword ?? ""}`.trim() : first;
  throw badSql(`only SELECT statements are allowed, not ${rejected}`);
}

const QUERY_KEYWORDS = new Set(["SELECT", "WITH", "VALUES"]);

/** The first words in upper case. A character that is not part of a word is returned as the last one. */
function firstWords(sql: string, limit: number): string[] {
  const words: string[] = [];
  let start = 0;
  while (words.length < limit) {
    start = skip(SKIPPED, sql, start);
    if (start === sql.length) break;
    const end = skip(WORD, sql, start);
    words.push(
      end > start ? sql.slice(start, end).toUpperCase() : String.fromCodePoint(sql.codePointAt(start) ?? 0),
    );
    if (end === start) break;
    start = end;
  }
  return words;
}

/** The offset after a match of a sticky pattern; the same offset if it does not match. */
function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

export const READ_ONLY_HINT = "pidex sql is read-only: it runs one SELECT, WITH, VALUES or EXPLAIN.";

function badSql(message: string): PidexError {
  return new PidexError("BAD_SQL", message, READ_ONLY_HINT);
}
