/** What fails, as it is told to who asked. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, PidexError } from "../../../library/index.ts";
import type { Failure } from "../api/answers.ts";

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  BAD_OPTION: 400,
  BAD_QUERY: 400,
  BAD_CURSOR: 400,
  NOT_FOUND: 404,
  FILE_UNREADABLE: 404,
  AMBIGUOUS: 409,
  FILE_CHANGED: 409,
  SESSION_CHANGED: 409,
  NOT_A_SESSION: 409,
  FILE_UNWRITABLE: 409,
  TRASH_FAILED: 409,
  RESTORE_FAILED: 409,
  UPGRADED: 503,
  DATABASE_BUSY: 503,
  DATABASE_UNAVAILABLE: 503,
};

/** An error as an answer with its status. */
export function failed(context: Context, error: unknown): Response {
  if (isBrokenOff(error)) return context.body(null, 400); // nobody reads it
  const status = error instanceof PidexError ? STATUS[error.code] : undefined;
  return context.json<Failure>(failure(error), status ?? 500);
}

/** Whether who asked hung up in the middle of the body: that is no fault of ours, and nothing to tell of. */
function isBrokenOff(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET";
}

/** Errors of ours with their code and hint; of what should not happen nothing that could tell of this machine. */
export function failure(error: unknown): Failure {
  if (error instanceof PidexError) {
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
  console.error(error);
  const hint = "What went wrong stands where pidex serve was started.";
  return { error: { code: "UNEXPECTED", message: "this should not happen", hint } };
}
