import { PidexError, SYNC_AND_RETRY, systemCode, toMessage } from "./errors.ts";

/** The error for a session file that cannot be opened or read. */
export function toUnreadableError(path: string, error: unknown): PidexError {
  if (error instanceof PidexError) return error;
  const hint = systemCode(error) === "ENOENT" ? SYNC_AND_RETRY : "Check its permissions.";
  return new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${toMessage(error)}`, hint, {
    cause: error,
  });
}
