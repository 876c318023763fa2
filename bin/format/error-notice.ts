import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";

/** An error as one text for the user, with its hint. */
export function formatErrorNotice(error: unknown): string {
  if (error instanceof PidexError) return `${error.message}. ${error.hint}`;
  return toMessage(error);
}
