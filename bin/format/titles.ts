import type { SessionSummary } from "../../library/internal.ts";
import { toOneLine } from "./safe.ts";

/** The last component of a folder's path, or the whole path if it has none; on one line. */
export function folderName(path: string): string {
  return toOneLine(path.split(/[\\/]/).filter(Boolean).at(-1) ?? path);
}

/** The title of a session: its name, else its first message. */
export function getSessionTitle({
  name,
  firstMessage,
}: Pick<SessionSummary, "name" | "firstMessage">): string {
  return toOneLine((name ?? firstMessage).slice(0, 2000)) || "(no text)";
}
