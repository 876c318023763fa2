/**
 * A file that leads a browser to a link. The link itself must not be an argument of the browser's process: every account of the
 * machine reads those. The file can be read by its owner alone.
 */
import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export interface HandoverFile {
  readonly path: string;
  /** Removes the file and its folder; doing so again does nothing. */
  remove(): void;
}

/** Writes a page that leads to a link (mode 0600), in a folder of its own (0700), until the process ends. */
export function writeHandover(href: string, parent = handoverParent()): HandoverFile {
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

/** Those that are there yet. */
const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A page without script that leads on at once, and leaves no entry of its own in the history. */
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

/** What snapd has on every system that it is installed on. */
const SNAPD = "/var/lib/snapd";

/**
 * A folder that the user's browser can read. A browser in a snap has a `/tmp` and a runtime folder of its own, and may read of the
 * home folder what has no dot before its name: where there are snaps, the file stands there for the seconds that it is needed.
 */
function handoverParent({ XDG_RUNTIME_DIR: runtime, HOME } = process.env): string {
  if (process.platform !== "linux") return tmpdir(); // the user's own on macOS and Windows
  const home = HOME || homedir();
  if (existsSync(SNAPD) && existsSync(home)) return home;
  return runtime && isPrivate(runtime) ? runtime : tmpdir();
}

/** A runtime folder is the user's own, and in memory; under `sudo` it may be another's. */
function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}
