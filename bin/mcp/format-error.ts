import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";

/** Formats an error for a model: what went wrong, and what to do. */
export function formatError(error: unknown, request: string): string {
  if (error instanceof PidexError) return `${error.code}: ${error.message}. ${error.hint}`;
  // An unexpected error: log the stack for the operator of the server.
  process.stderr.write(`pidex mcp: ${request}: ${error instanceof Error ? error.stack : error}\n`);
  return `pidex failed: ${toMessage(error)}. The same request is likely to fail again.`;
}
