import { toSafeJson } from "./json-text.ts";
import { toOneLine } from "./safe.ts";

/** A tool call's main argument on one line, safe for a terminal, cut at 1,000 characters. */
export function formatMainArgument(args: Record<string, unknown> | null | undefined): string {
  const about = args?.command ?? args?.path ?? args?.file_path ?? args?.pattern ?? args?.query ?? args?.code;
  const text = typeof about === "string" ? about : toSafeJson(args ?? {});
  return toOneLine(text.slice(0, 1000));
}
