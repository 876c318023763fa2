import { isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findHome } from "../environment.ts";

/**
 * Normalizes a path recorded in a session file to the form stored in the index: without `//`, `.`, `..` and a trailing slash, with
 * `~/` and `file://` resolved. Relative paths, paths of other systems and other text are returned unchanged. Never throws.
 */
export function normalizeRecordedPath(text: string): string {
  const path = text.startsWith("file:") ? fromUrl(text) : text;
  const home = path.startsWith("~/") || path.startsWith("~\\") ? findHome() : undefined;
  if (home !== undefined) return join(home, path.slice(2)).replace(/(?<=.)[/\\]$/, "");
  // On Windows, `/home/ada` comes from another system.
  return isAbsolute(path) && (sep === "/" || !path.startsWith("/")) ? resolve(path) : path;
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.replace(/^file:\/\/(?:localhost(?=\/))?/, ""); // not percent-encoded: a % is literal
  }
}
