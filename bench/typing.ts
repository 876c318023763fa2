/** Typed queries and typing speed, the same for the picker and the page so that they are comparable. */

/** Words of the generator's vocabulary, and a misspelled one. */
export const QUERIES = [
  "migration",
  "refactor the parser",
  "session index",
  "role:user timeout",
  '"the cache"',
  "databse connection",
  "tool:bash error",
  "数据库",
  "エラー 修正",
  "deploy version",
  "src/session",
];
export const KEY_COUNT = QUERIES.reduce((sum, query) => sum + [...query].length, 0);

/** Interval between keys of a fast typist. */
export const KEY_INTERVAL_MS = 120;
/** Time for looking at results before the next query. */
export const QUERY_PAUSE_MS = 1000;
