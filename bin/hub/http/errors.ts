/** Errors of a hub as HTTP responses. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { SentError } from "../../../library/host/messages.ts";
import { type ErrorCode, PidexError } from "../../../library/index.ts";
import type { Hub, HubEnv } from "./hub.ts";

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  BAD_OPTION: 400,
  BAD_QUERY: 400,
  BAD_CURSOR: 400,
  SQL_TIMEOUT: 400,
  NOT_A_SESSION: 400,
  UPGRADED: 400,
  NOT_SIGNED_IN: 401,
  NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  AMBIGUOUS: 409,
  SESSION_FORGOTTEN: 410,
  SESSION_TOO_LARGE: 413,
  DATABASE_UNAVAILABLE: 503,
  DATABASE_BUSY: 503,
};

/** The response to a request that failed. It says nothing of the hub's machine; other errors than pidex's own go to the log. */
export function toErrorResponse(
  context: Context<HubEnv>,
  hub: Hub,
  error: unknown,
  status?: ContentfulStatusCode,
): Response {
  const sent = toPublicError(context, hub, error);
  return context.json({ error: sent }, status ?? STATUS[sent.code as ErrorCode] ?? 500);
}

/** An error without what it says of the hub's machine, which goes to the log. */
export function toPublicError(context: Context<HubEnv>, hub: Hub, error: unknown): SentError {
  if (error instanceof PidexError && error.code !== "DATABASE_UNAVAILABLE") {
    const { name, code, message, hint } = error;
    return { name, code, message, hint };
  }
  const id = context.get("requestId");
  hub.log(`request ${id} failed: ${describeError(error)}`);
  const isDatabase = error instanceof PidexError || isConnectionError(error);
  return {
    name: "PidexError",
    code: isDatabase ? "DATABASE_UNAVAILABLE" : "HUB_UNAVAILABLE",
    message: isDatabase ? "the hub's database is not available" : `the hub failed (request ${id})`,
    hint: "Retry later; the log of the hub says more.",
  };
}

/** Whether PostgreSQL ended the connection, or is starting or stopping. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A statement may be written before PostgreSQL's last word is read.
  const isLost = /^(?:08|57P0)/.test(code) || /^(?:EPIPE|ECONNRESET|ECONNREFUSED|ETIMEDOUT)$/.test(code);
  return isLost || /^Connection terminated|^timeout exceeded/.test(error.message);
}

/** The kind of an error and where it happened. Not its message, which may contain text of sessions. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, stack = "" } = error;
  const code = "code" in error ? ` ${String(error.code)}` : "";
  const frames = stack.split("\n").filter((line) => /^ {4}at /.test(line));
  return [`${name}${code}`, ...frames].join("\n");
}
