/** Errors as HTTP responses. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, PidexError } from "../../../library/index.ts";
import type { ErrorAnswer } from "../api/answers.ts";

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  BAD_OPTION: 400,
  BAD_QUERY: 400,
  BAD_CURSOR: 400,
  NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  FILE_UNREADABLE: 404,
  NOT_A_REPOSITORY: 404,
  AMBIGUOUS: 409,
  FILE_CHANGED: 409,
  SESSION_CHANGED: 409,
  NOT_A_SESSION: 409,
  FILE_UNWRITABLE: 409,
  TRASH_FAILED: 409,
  RESTORE_FAILED: 409,
  GIT_FAILED: 409,
  UPGRADED: 503,
  SQL_TIMEOUT: 503,
  HUB_UNAVAILABLE: 502,
  NOT_SIGNED_IN: 502, // this machine to its hub; 401 would sign the browser out
  DATABASE_BUSY: 503,
  DATABASE_UNAVAILABLE: 503,
};

/** Returns the error response with its status. */
export function toErrorResponse(context: Context, error: unknown): Response {
  if (context.req.raw.signal.aborted || isDisconnect(error)) return context.body(null, 400); // the client is gone
  const status = error instanceof PidexError ? STATUS[error.code] : undefined;
  return context.json<ErrorAnswer>(toErrorAnswer(error), status ?? 500);
}

/** Whether the client disconnected while sending the body, which needs no report. */
function isDisconnect(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET";
}

/** A PidexError with its code and hint. Other errors are logged, and the response reveals nothing about this machine. */
export function toErrorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof PidexError) {
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
  console.error(error);
  const hint = "See the output of pidex serve for details.";
  return { error: { code: "UNEXPECTED", message: "unexpected error", hint } };
}
