/** What one export of the page holds at most: more is for `pidex export`, which has no limit unless it is given one. */
export const MAX_EXPORTED_SESSIONS = 2_000;
export const MAX_EXPORTED_BYTES = 500 * 1024 * 1024;
