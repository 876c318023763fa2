import type { BriefSession } from "../../library/internal.ts";
import { oneLine } from "./safe.ts";

/** The last component of a folder's path, or the whole path if it has none; on one line. */
export function folderName(path: string): string {
  return oneLine(path.split(/[\\/]/).filter(Boolean).at(-1) ?? path);
}

/** The title of a session: its name, else its first message. */
export function titleOf({ name, firstMessage }: Pick<BriefSession, "name" | "firstMessage">): string {
  return oneLine((name ?? firstMessage).slice(0, 2000)) || "(no text)";
}
