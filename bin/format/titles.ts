import type { BriefSession } from "../../library/internal.ts";
import { oneLine } from "./safe.ts";

/** The last part of a folder's path, or all of it if it has no parts; on one line. */
export function folderName(path: string): string {
  return oneLine(path.split(/[\\/]/).filter(Boolean).at(-1) ?? path);
}

/** What to call a session: its name, else how it began. */
export function titleOf({ name, firstMessage }: Pick<BriefSession, "name" | "firstMessage">): string {
  return oneLine((name ?? firstMessage).slice(0, 2000)) || "(no text)";
}
