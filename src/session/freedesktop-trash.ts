/**
 * The trash of Linux and BSD desktops, by version 1.0 of freedesktop.org's specification: a file in `files/`, and beside
 * it a note in `info/` that says where it was and when it went.
 */
import type { Stats } from "node:fs";
import { lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative } from "node:path";
import { systemCode } from "../errors.ts";
import { homeFolder } from "../surroundings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Moves a file or folder into the trash of its user: the one at home, or, on another file system, that file system's
 * own. Never copies.
 *
 * @param path absolute
 * @returns where it lies now
 * @throws the error of the file system: `EXDEV` when neither trash can take it by a move
 */
export async function freedesktopTrash(path: string, environment: Environment): Promise<string> {
  // Links above it are followed, so that the note names a place that stays; a link itself is what goes.
  const from = join(await realpath(dirname(path)), basename(path));
  const home = homeTrash(environment);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await putInto(home, from, from);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
  }
  const top = await topOf(from);
  return putInto(await trashAt(top), from, relative(top, from));
}

function homeTrash(environment: Environment): string {
  const { XDG_DATA_HOME = "" } = environment;
  // A relative one is to be ignored, says the base directory specification.
  const data = isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homeFolder(environment), ".local", "share");
  return join(data, "Trash");
}

/** The highest folder above a file that is on its file system. */
async function topOf(path: string): Promise<string> {
  const { dev } = await lstat(dirname(path));
  let top = dirname(path);
  while (dirname(top) !== top && (await lstat(dirname(top))).dev === dev) top = dirname(top);
  return top;
}

/** The trash of a file system: a folder in the one that an administrator made for all, else one of the user's own. */
async function trashAt(top: string): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const shared = join(top, ".Trash");
  const own = join(top, `.Trash-${uid}`);
  if (await isForAll(shared)) {
    try {
      return await ownFolder(join(shared, String(uid)), uid);
    } catch {
      // What cannot be used there is no loss, says the specification: the other kind does as well.
    }
  }
  return ownFolder(own, uid);
}

/** Only sticky, and no link: else others could take away, or redirect, what is put there. */
async function isForAll(folder: string): Promise<boolean> {
  const stat = await look(folder);
  return stat?.isDirectory() === true && (stat.mode & 0o1000) !== 0;
}

async function ownFolder(folder: string, uid: number): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  const stat = await lstat(folder);
  if (!stat.isDirectory() || stat.uid !== uid) throw new Error(`${folder} is not your folder`);
  return folder;
}

/** @param noted the path that the note tells: relative where the trash is not the one at home */
async function putInto(trash: string, from: string, noted: string): Promise<string> {
  const [files, info] = [join(trash, "files"), join(trash, "info")];
  for (const folder of [files, info]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const text = `[Trash Info]\nPath=${escaped(noted)}\nDeletionDate=${localTime(new Date())}\n`;
  for (let n = 1; ; n++) {
    const name = spareName(basename(from), n);
    const note = join(info, `${name}.trashinfo`);
    // The note comes first, and only where there is none: whoever has it has the name.
    if (!(await writeNew(note, text))) continue;
    try {
      const target = join(files, name);
      if (!(await look(target))) {
        await rename(from, target);
        return target;
      }
    } catch (error) {
      await unlink(note);
      throw error;
    }
    await unlink(note); // a file without its note lies there
  }
}

/** @returns false where there is a file of that name already */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } catch (error) {
      await unlink(path);
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** What is at a path, links not followed, or nothing. */
export async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** With `.trashinfo` and a number behind it a name must not get longer than the 255 bytes of most file systems. */
const LONGEST_NAME = 230;

/** The first name, the second (`x 2.jsonl`), and so on, for a file that was called so. */
export function spareName(name: string, n: number): string {
  const ending = Buffer.byteLength(extname(name)) > 32 ? "" : extname(name);
  const stem = Array.from(name.slice(0, name.length - ending.length));
  while (Buffer.byteLength(stem.join("")) > LONGEST_NAME - Buffer.byteLength(ending)) stem.pop();
  return `${stem.join("")}${n === 1 ? "" : ` ${n}`}${ending}`;
}

/** A path as a URL has it: everything but letters, digits, `-._~` and slashes is a percent sign and two digits. */
function escaped(path: string): string {
  const asInUrl = (byte: number) => {
    const character = String.fromCharCode(byte);
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  };
  return Array.from(Buffer.from(path, "utf8"), asInUrl).join("");
}

/** `2026-01-31T09:30:00`, by the clock on the wall. */
function localTime(date: Date): string {
  const utc = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return utc.toISOString().slice(0, 19);
}
