/** The protocol between an index host and the program that uses it. Every message is plain data: a thread clones it, a process sends it as JSON. */
import { type ErrorCode, PidexError } from "../../src/errors.ts";

export type ToHost =
  /** The first message: which service to open, and with which options. */
  | { open: string; options: object }
  | { id: number; name: string; args: unknown[]; controls: Controls }
  /** Aborts the signal of a request. */
  | { cancel: number }
  /** The reader of a stream has consumed `count` items: as many more may be sent. */
  | { more: number; count: number }
  /** Closes the service and ends the host. */
  | { close: true };

export type FromHost =
  | { id: number; value: unknown }
  | { id: number; error: SentError }
  | { id: number; item: unknown }
  | { id: number; callback: string; args: (SentError | { value: unknown })[] }
  | { notice: string };

/** What the last argument of a request, its options, contained that cannot be sent as data. */
export interface Controls {
  hasSignal: boolean;
  /** Names of functions: the host calls them through messages and does not wait for them. */
  callbacks: string[];
}

/** Stream items that may be on their way at once: the host waits when its reader is slower. */
export const WINDOW = 16;

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
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    name,
    message,
    ...(stack !== undefined && { stack }),
    ...(typeof code === "string" && { code }),
    ...(typeof hint === "string" && { hint }),
    ...(cause !== undefined && { cause: toSentError(cause) }),
  };
}

export function fromSentError({ name, message, stack, code, hint, cause }: SentError): Error {
  const options = cause && { cause: fromSentError(cause) };
  const error =
    code !== undefined && hint !== undefined
      ? new PidexError(code as ErrorCode, message, hint, options) // it comes from a program of the same package
      : Object.assign(new Error(message, options), { name }, code !== undefined && { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
