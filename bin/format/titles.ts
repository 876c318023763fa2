import type { SessionSummary } from "../../library/internal.ts";
import { toOneLine } from "./safe.ts";

/** The last component of a folder's path, or the whole path if it has none; on one line. */
export function folderName(path: string): string {
  return toOneLine(path.split(/[\\/]/).filter(Boolean).at(-1) ?? path);
}

/**
 * The title of a session: its name, else its first message that is not a slash command, else its first message. On one line, without the
 * backticks of Markdown.
 */
export function getSessionTitle({
  name,
  firstMessage,
  titleMessage,
}: Pick<SessionSummary, "name" | "firstMessage" | "titleMessage">): string {
  const text = toOneLine((name ?? titleMessage ?? firstMessage).slice(0, 2000));
  return text.replaceAll(CODE, "$1") || "(no text)";
}

const CODE = /`+([^`]+)`+/g;
