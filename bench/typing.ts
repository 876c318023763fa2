/** What somebody types into the picker and into the page, and how fast: the same, so that both can be compared. */

/** What people type: words of the generator's vocabulary, and one that is misspelled. */
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

/** From one key of somebody who types fast to the next. */
export const PACE_MS = 120;
/** What people need to look at what they see, before the next query. */
export const LOOK_MS = 1000;
