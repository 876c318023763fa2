import { PidexError } from "../../library/index.ts";

/** An error as a model is told it: what is wrong with what it asked, and what it can do. */
export function wordsOf(error: unknown, asked: string): string {
  if (error instanceof PidexError) return `${error.code}: ${error.message}. ${error.hint}`;
  // Nobody foresaw it: whoever runs the server is to see where it comes from.
  process.stderr.write(`pidex mcp: ${asked}: ${error instanceof Error ? error.stack : error}\n`);
  return `pidex failed: ${error instanceof Error ? error.message : error}. The same question is likely to fail again.`;
}
