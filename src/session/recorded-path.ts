import { isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findHome } from "../surroundings.ts";

/**
 * The path that a session file records, in the spelling that the index has: without `//`, `.`, `..` and a slash at its end,
 * `~/` and `file://` resolved. Paths of other systems, relative ones, and what is no path stay as they are. Never throws.
 */
export function recordedPath(text: string): string {
  const path = text.startsWith("file:") ? fromUrl(text) : text;
  const home = path.startsWith("~/") || path.startsWith("~\\") ? findHome() : undefined;
  if (home !== undefined) return join(home, path.slice(2)).replace(/(?<=.)[/\\]$/, "");
  // On Windows `/home/ada` is of another system.
  return isAbsolute(path) && (sep === "/" || !path.startsWith("/")) ? resolve(path) : path;
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.replace(/^file:\/\/(?:localhost(?=\/))?/, ""); // written without encoding: a % in it stands for itself
  }
}
