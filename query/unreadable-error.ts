import { PidexError, toMessage } from "../src/errors.ts";

/** The error for a session file that cannot be opened or read. */
export function toUnreadableError(path: string, error: unknown): PidexError {
  const reason = toMessage(error);
  const hint = "Sync again: pidex index.";
  return new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${reason}`, hint, { cause: error });
}
