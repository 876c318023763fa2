/** Texts and typing speed, the same for the picker and the page so that they are comparable. */

/** Typed texts: words of the generator's vocabulary, and a misspelled one. */
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
export const KEYS = QUERIES.reduce((sum, query) => sum + [...query].length, 0);

/** Interval between the keys of a fast typist. */
export const PACE_MS = 120;
/** How long users look at results before the next query. */
export const LOOK_MS = 1000;
