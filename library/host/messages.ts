/** The protocol between an index host and its caller. Messages are plain data: threads clone them, processes send them as JSON. */
import { type ErrorCode, PidexError } from "../../src/errors.ts";

export type ToHost =
  /** The first message: which service to open, and with which options. */
  | { open: string; options: object }
  | { id: number; name: string; args: unknown[]; controls: RequestControls }
  /** Aborts the signal of a request. */
  | { cancel: number }
  /** Allows the host to send `count` more items of a stream. */
  | { more: number; count: number }
  /** Closes the service and ends the host. */
  | { close: true };

export type FromHost =
  | { id: number; value: unknown }
  | { id: number; error: SentError }
  | { id: number; item: unknown }
  | { id: number; callback: string; args: (SentError | { value: unknown })[] }
  | { notice: string };

/** The options of a request that cannot be sent as data. */
export interface RequestControls {
  hasSignal: boolean;
  /** Names of callbacks: the host calls them through messages and does not wait for them. */
  callbacks: string[];
}

/** Maximum number of stream items in transit: the host waits for a slower reader. */
export const STREAM_WINDOW = 16;

/** An error and its causes as plain data. */
export interface SentError {
  message: string;
  name: string;
  stack?: string | undefined;
  code?: string | undefined;
  hint?: string | undefined;
  cause?: SentError | undefined;
}

export function toSentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name,
    message,
    ...(stack !== undefined && { stack }),
    ...(typeof code === "string" && { code }),
    // Errors of PostgreSQL may have hints too.
    ...(error instanceof PidexError && { hint: error.hint }),
    ...(cause !== undefined && { cause: toSentError(cause) }),
  };
}

export function fromSentError({ name, message, stack, code, hint, cause }: SentError): Error {
  const options = cause && { cause: fromSentError(cause) };
  const error =
    code !== undefined && hint !== undefined
      ? new PidexError(code as ErrorCode, message, hint, options) // sent by a program of the same package
      : Object.assign(new Error(message, options), { name }, code !== undefined && { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
