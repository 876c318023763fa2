import type { TouchAction } from "../src/store/schema.ts";

/** A file that an entry touched, with its path from `resolvePath`. */
export interface TouchedFile {
  path: string;
  action: TouchAction;
}

/** Longest accepted path, in characters (Linux's PATH_MAX); longer text is not a path. */
export const MAX_PATH_CHARACTERS = 4096;

/** At least two letters: `C:` is a drive. */
const URL_START = /^[a-z][a-z0-9+.-]+:\/\//i;
const DRIVE = /^([A-Za-z]):[\\/]/;
/** A drive in a shell on Windows: `/c/Users`. */
const SHELL_DRIVE = /^\/([A-Za-z])(?:\/|$)/;

/** A path that is already normalized, as most are: no segment is empty or begins with a dot, and nothing is specific to Windows. */
const NORMALIZED = /^\/?[^./\\:~\0][^/\\:\0]*(?:\/[^./\\:\0][^/\\:\0]*)*$/;

/**
 * The normalized path that a session refers to: resolved against the working directory, in its style (`/home/ada`,
 * `C:\Users\ada`), without `.`, `..`, double and trailing separators. Does not access the disk. `~/x` stays, because the
 * user is unknown. Without a working directory a relative path stays relative.
 *
 * @returns null if it is not a path: empty, a URL (other than `file:`), with a NUL, too long
 */
export function resolvePath(written: string, cwd: string): string | null {
  if (
    cwd.length + written.length < MAX_PATH_CHARACTERS &&
    cwd.startsWith("/") &&
    NORMALIZED.test(written) &&
    NORMALIZED.test(cwd)
  ) {
    return (written.startsWith("/") ? written : `${cwd}/${written}`).toWellFormed();
  }
  const path = withoutUrl(written);
  if (!path || path.length > MAX_PATH_CHARACTERS || path.includes("\0")) return null;
  const windows = isWindows(path) || isWindows(cwd);
  const full = cwd === "" || isAbsolutePath(path, windows) ? path : `${cwd}${windows ? "\\" : "/"}${path}`;
  const normalized = normalizePath(full, windows);
  // As SQLite stores it: it replaces lone surrogates, so two such paths may become one.
  return normalized === "" || normalized.length > MAX_PATH_CHARACTERS ? null : normalized.toWellFormed();
}

/** Whether text looks like a path: it has a slash or an extension, and no characters of patterns and URLs. */
export function looksLikePath(text: string): boolean {
  if (text === "" || text.length > MAX_PATH_CHARACTERS || text.startsWith("-") || text.startsWith("/dev/"))
    return false;
  if (URL_START.test(text)) return text.startsWith("file://");
  const rest = DRIVE.test(text) ? text.slice(2) : text;
  if (/[\0\n\r"<>|^$*?:]/.test(rest) || (rest === text && rest.includes("\\"))) return false;
  return (rest.includes("/") || /\.[A-Za-z][\w-]{0,15}$/.test(rest)) && /[\p{L}\p{N}]/u.test(rest);
}

/** Whether a path needs no working directory. */
export function isAbsolutePath(path: string, windows = isWindows(path)): boolean {
  return path.startsWith("/") || path === "~" || path.startsWith("~/") || (windows && isWindowsAnchor(path));
}

function isWindowsAnchor(path: string): boolean {
  return isWindows(path) || path.startsWith("~\\");
}

function isWindows(path: string): boolean {
  return DRIVE.test(path) || path.startsWith("\\\\");
}

/** The path of a `file:` URL. Null for other URLs and invalid encodings. */
function withoutUrl(written: string): string | null {
  if (!URL_START.test(written)) return written;
  const local = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(written)?.[1];
  if (local === undefined) return null;
  try {
    const path = decodeURIComponent(local);
    return DRIVE.test(path.slice(1)) ? path.slice(1) : path;
  } catch {
    return null; // an invalid % escape: no program could open it
  }
}

function normalizePath(path: string, windows: boolean): string {
  const { root, rest, separator } = splitRoot(path, windows);
  const segments: string[] = [];
  for (const segment of rest.split(separator === "\\" ? /[\\/]/ : "/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.length > 0 && segments.at(-1) !== "..") segments.pop();
    else if (root === "" || root === "~") segments.push(segment);
  }
  if (root === "~") return ["~", ...segments].join("/");
  return root + segments.join(separator);
}

/** The root of a path, the rest, and its separator. */
function splitRoot(path: string, windows: boolean): { root: string; rest: string; separator: string } {
  const drive = windows ? (DRIVE.exec(path) ?? SHELL_DRIVE.exec(path)) : null;
  if (drive) {
    return { root: `${drive[1]?.toUpperCase()}:\\`, rest: path.slice(drive[0].length), separator: "\\" };
  }
  if (windows && /^[\\/]{2}/.test(path)) return { root: "\\\\", rest: path.slice(2), separator: "\\" };
  if (path.startsWith("/")) return { root: "/", rest: path.slice(1), separator: "/" };
  if (path === "~" || path.startsWith("~/")) return { root: "~", rest: path.slice(1), separator: "/" };
  if (windows && path.startsWith("~\\")) {
    return { root: "~", rest: path.slice(1).replaceAll("\\", "/"), separator: "/" };
  }
  return { root: "", rest: path, separator: windows ? "\\" : "/" };
}
