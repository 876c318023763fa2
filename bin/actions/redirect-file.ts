/**
 * A file that redirects a browser to a link. The link must not be an argument of the browser's process, because every
 * user of the machine can read those. Only the owner can read the file.
 */
import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export interface RedirectFile {
  readonly path: string;
  /** Removes the file and its folder; doing so again does nothing. */
  remove(): void;
}

/** Writes a page that redirects to a link (mode 0600) in its own folder (0700). Both are removed when the process ends. */
export function writeRedirectFile(href: string, parent = handoverParent()): RedirectFile {
  const folder = mkdtempSync(join(parent, "pidex-open-")); // 0700, whatever the umask adds
  const path = join(folder, "open.html");
  const remove = () => {
    folders.delete(folder);
    if (folders.size === 0) process.off("exit", removeAll);
    rmSync(folder, { recursive: true, force: true });
  };
  if (folders.size === 0) process.once("exit", removeAll);
  folders.add(folder);
  try {
    writeFileSync(path, redirect(href), { mode: 0o600, flag: "wx" });
  } catch (error) {
    remove();
    throw error;
  }
  return { path, remove };
}

/** The folders not removed yet. */
const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A page without script that redirects at once, and adds no entry to the browser history. */
function redirect(href: string): string {
  const target = href.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>pidex</title>
<meta http-equiv="refresh" content="0;url=${target}">
<p><a href="${target}">Open pidex</a></p>
`;
}

/** This folder exists wherever snapd is installed. */
const SNAPD = "/var/lib/snapd";

/**
 * A folder that the user's browser can read. A browser in a snap has its own `/tmp` and runtime folder, and can read only
 * non-hidden files in the home folder: so with snapd, the file is in the home folder for the seconds it is needed.
 */
function handoverParent({ XDG_RUNTIME_DIR: runtime, HOME } = process.env): string {
  if (process.platform !== "linux") return tmpdir(); // the user's own on macOS and Windows
  const home = HOME || homedir();
  if (existsSync(SNAPD) && existsSync(home)) return home;
  return runtime && isPrivate(runtime) ? runtime : tmpdir();
}

/** Whether a folder belongs to the user alone: under `sudo`, the runtime folder may be another user's. */
function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}
