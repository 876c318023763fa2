import { chooseTitle, type Titled } from "../../src/session/titles/choose-title.ts";
import { toOneLine } from "./safe.ts";

/** The last component of a folder's path, or the whole path if it has none; on one line. */
export function folderName(path: string): string {
  return toOneLine(path.split(/[\\/]/).filter(Boolean).at(-1) ?? path);
}

/** The title of a session as all lists show it, on one line, without the backticks of Markdown. */
export function getSessionTitle(session: Titled): string {
  const text = toOneLine(chooseTitle(session).slice(0, 2000));
  return text.replaceAll(CODE, "$1") || "(no text)";
}

/** The title of at most some characters; a longer one ends in an ellipsis. */
export function getShortTitle(session: Titled, maxLength: number): string {
  const title = getSessionTitle(session);
  if (title.length <= maxLength) return title;
  return `${title
    .slice(0, maxLength - 1)
    .replace(/[\ud800-\udbff]$/, "") // half of a character
    .trimEnd()}…`;
}

const CODE = /`+([^`]+)`+/g;
