/** The session version that pi writes. Older sessions are upgraded in memory when they are read. */
export const CURRENT_SESSION_VERSION = 3;
