import type { TouchAction } from "../src/store/sqlite/schema.ts";

/** A file an entry touched, its path as `absolutePath` gives it. */
export interface TouchedFile {
  path: string;
  action: TouchAction;
}

/** Longer than any path a system takes, in characters: what is longer is something else. */
const MAX_PATH = 4096;

/** At least two letters: `C:` is a drive. */
const URL_START = /^[a-z][a-z0-9+.-]+:\/\//i;
const DRIVE = /^([A-Za-z]):[\\/]/;
/** How a shell on Windows names a drive: `/c/Users`. */
const SHELL_DRIVE = /^\/([A-Za-z])(?:\/|$)/;

/** A path in its final form, as nearly all are: no step is empty or begins with a dot, nothing is Windows'. */
const NORMAL = /^\/?[^./\\:~\0][^/\\:\0]*(?:\/[^./\\:\0][^/\\:\0]*)*$/;

/**
 * The path a session means by what it wrote, without a look at the disk: resolved against the working directory,
 * in its style (`/home/ada`, `C:\Users\ada`), without `.`, `..`, double and trailing separators. `~/x` stays, since
 * nobody knows whose home it is. Without a working directory a relative path stays relative.
 *
 * @returns null for what is no path: empty, a URL (other than `file:`), with a NUL, too long
 */
export function absolutePath(written: string, cwd: string): string | null {
  if (
    cwd.length + written.length < MAX_PATH &&
    cwd.startsWith("/") &&
    NORMAL.test(written) &&
    NORMAL.test(cwd)
  ) {
    return (written.startsWith("/") ? written : `${cwd}/${written}`).toWellFormed();
  }
  const path = withoutUrl(written);
  if (!path || path.length > MAX_PATH || path.includes("\0")) return null;
  const windows = isWindows(path) || isWindows(cwd);
  const whole = cwd === "" || isAnchored(path, windows) ? path : `${cwd}${windows ? "\\" : "/"}${path}`;
  const normal = normalPath(whole, windows);
  // As SQLite stores it: two halves of different characters are one path there.
  return normal === "" || normal.length > MAX_PATH ? null : normal.toWellFormed();
}

/** Whether text looks like a path: it has a slash or an extension, and nothing that only patterns and URLs have. */
export function looksLikePath(text: string): boolean {
  if (text === "" || text.length > MAX_PATH || text.startsWith("-") || text.startsWith("/dev/")) return false;
  if (URL_START.test(text)) return text.startsWith("file://");
  const rest = DRIVE.test(text) ? text.slice(2) : text;
  if (/[\0\n\r"<>|^$*?:]/.test(rest) || (rest === text && rest.includes("\\"))) return false;
  return (rest.includes("/") || /\.[A-Za-z][\w-]{0,15}$/.test(rest)) && /[\p{L}\p{N}]/u.test(rest);
}

/** Whether a path says where it begins, and needs no working directory. */
export function isAnchored(path: string, windows = isWindows(path)): boolean {
  return path.startsWith("/") || path === "~" || path.startsWith("~/") || (windows && isWindowsAnchor(path));
}

function isWindowsAnchor(path: string): boolean {
  return isWindows(path) || path.startsWith("~\\");
}

function isWindows(path: string): boolean {
  return DRIVE.test(path) || path.startsWith("\\\\");
}

/** What a `file:` URL names. Null for other URLs, and those that cannot be decoded. */
function withoutUrl(written: string): string | null {
  if (!URL_START.test(written)) return written;
  const local = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(written)?.[1];
  if (local === undefined) return null;
  try {
    const path = decodeURIComponent(local);
    return DRIVE.test(path.slice(1)) ? path.slice(1) : path;
  } catch {
    return null; // a % that is no escape: not a URL that anything could open
  }
}

function normalPath(path: string, windows: boolean): string {
  const { root, rest, separator } = anchorOf(path, windows);
  const steps: string[] = [];
  for (const step of rest.split(separator === "\\" ? /[\\/]/ : "/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") steps.push(step);
    else if (steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else if (root === "" || root === "~") steps.push(step);
  }
  if (root === "~") return ["~", ...steps].join("/");
  return root + steps.join(separator);
}

/** What a path begins with, and what separates its steps. */
function anchorOf(path: string, windows: boolean): { root: string; rest: string; separator: string } {
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
