/** The codes of `PidexError`. Stable: scripts may test for them. */
export type ErrorCode =
  | "NODE_TOO_OLD"
  | "BAD_OPTION"
  | "BAD_QUERY"
  | "BAD_CURSOR"
  | "BAD_SQL"
  | "SQL_TIMEOUT"
  | "NOT_FOUND"
  | "AMBIGUOUS"
  | "NO_ROOTS"
  | "NO_HOME"
  | "FOLDER_GONE"
  | "AGENT_MISSING"
  | "FILE_CHANGED"
  | "CITATION_CHANGED"
  | "FILE_UNREADABLE"
  | "FILE_UNWRITABLE"
  | "NOT_A_SESSION"
  | "SESSION_CHANGED"
  | "SESSION_COMPRESSED"
  | "SESSION_TOO_LARGE"
  | "SESSION_FORGOTTEN"
  | "READ_ONLY"
  | "FOREIGN_DATABASE"
  | "DATABASE_UNAVAILABLE"
  | "DATABASE_BUSY"
  | "TRASH_FAILED"
  | "RESTORE_FAILED"
  | "UPGRADED"
  | "INDEX_BEHIND"
  | "MIGRATION_FAILED"
  | "NOT_SIGNED_IN"
  | "NOT_ALLOWED"
  | "HUB_UNAVAILABLE"
  | "NOT_A_REPOSITORY"
  | "GIT_FAILED"
  | "BINARY_FILE";

/**
 * The error that pidex throws: what happened (`message`), what to do about it (`hint`), a stable `code`, and the
 * underlying error, if any, in `cause`.
 *
 * @example
 * try {
 *   await index.find("nosuch");
 * } catch (error) {
 *   if (error instanceof PidexError && error.code === "NOT_FOUND") console.error(error.hint);
 * }
 */
export class PidexError extends Error {
  static {
    // On the prototype, as in JavaScript's own errors, so that `stack` begins with it and objects don't list it.
    Object.defineProperty(PidexError.prototype, "name", {
      value: "PidexError",
      writable: true,
      configurable: true,
    });
  }

  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string, options?: ErrorOptions) {
    // A cause of undefined would be an own property too.
    super(message, options?.cause === undefined ? undefined : options);
    this.code = code;
    this.hint = hint;
  }
}

/** The hint of `FILE_CHANGED`. */
export const SYNC_AND_RETRY = "Sync the index (index.sync() or pidex index) and try again.";

/** Returns the error for an invalid argument or option. */
export function badOption(message: string, hint: string): PidexError {
  return new PidexError("BAD_OPTION", message, hint);
}

/** The `code` of a Node or SQLite error (`ENOENT`, `SQLITE_BUSY`), or undefined if it has none. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The message of anything that was thrown. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
