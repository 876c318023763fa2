/** Limits of one export from the web page. `pidex export` has none by default. */
export const MAX_EXPORTED_SESSIONS = 2_000;
export const MAX_EXPORTED_BYTES = 500 * 1024 * 1024;
