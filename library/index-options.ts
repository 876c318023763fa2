export interface OpenIndexOptions {
  /** Path of the database file, which is created if missing. Default: `$PIDEX_DB`, else `pidex/index.db` in the user's cache folder. */
  db?: string;
  /**
   * Session folders, including all their subfolders. Default: `$PIDEX_ROOTS` (separated like `$PATH`), else the session folders
   * of all installed agents: docs/session-folders.md.
   *
   * @example
   * await openIndex({ roots: ["~/.pi/agent/sessions"] });
   */
  roots?: readonly string[];
  /** Page cache of each of the two database connections, in megabytes. Default: 32. */
  cacheMb?: number;
  /**
   * Runs the index in its own thread: methods never block the caller, and a thread that ended is replaced at the next call. Callbacks run
   * slightly later, `onProgress` at most every 50 ms, and their return values are ignored. Default: false.
   */
  isolated?: boolean;
  /** Called with a sentence about something users should know: a corrupt database was quarantined, settings could not be read. */
  onNotice?: (message: string) => void;
}
