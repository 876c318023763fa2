import { toJson } from "./json-text.ts";
import { oneLine } from "./safe.ts";

/** A tool call's main argument on one line, safe for a terminal, cut at 1,000 characters. */
export function callAbout(args: Record<string, unknown> | null | undefined): string {
  const about = args?.command ?? args?.path ?? args?.file_path ?? args?.pattern ?? args?.query ?? args?.code;
  const text = typeof about === "string" ? about : toJson(args ?? {});
  return oneLine(text.slice(0, 1000));
}
