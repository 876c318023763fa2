/**
 * The trash of Linux and BSD desktops, by version 1.0 of freedesktop.org's specification: a file in `files/`, and beside
 * it a note in `info/` that says where it was and when it went.
 */
import type { Stats } from "node:fs";
import { lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative } from "node:path";
import { systemCode } from "../errors.ts";
import { fsPath, realPath } from "../path-bytes.ts";
import { findHome, homeFolder } from "../surroundings.ts";
import { noteName, noteText, type TrashPlace } from "./trash-notes.ts";

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
  const from = join(realPath(dirname(path)), basename(path));
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

/** The trashes of this user that files of some folders may be in. Nothing is made. */
export async function freedesktopTrashes(
  folders: readonly string[],
  environment: Environment,
): Promise<TrashPlace[]> {
  const uid = process.getuid?.() ?? 0;
  const tops = new Set<string>();
  for (const folder of folders) tops.add(await topOf(join(await nearestFolder(folder), "file")));
  const trashes = [...tops].flatMap((top) => [
    { trash: join(top, ".Trash", String(uid)), top },
    { trash: join(top, `.Trash-${uid}`), top },
  ]);
  const isHomeless = findHome(environment) === undefined && !isAbsolute(environment.XDG_DATA_HOME ?? "");
  const ours: typeof trashes = [];
  // Where everybody may write, anybody may make a folder of that name, with notes of their own.
  for (const each of trashes) if (await isOwnTrash(each.trash, uid)) ours.push(each);
  const all = [...(isHomeless ? [] : [{ trash: homeTrash(environment), top: "/" }]), ...ours];
  return all.map(({ trash, top }) => ({ notes: join(trash, "info"), files: join(trash, "files"), top }));
}

/** Whether a trash is this user's: theirs, and no link, in a folder for all that is sticky. */
async function isOwnTrash(trash: string, uid: number): Promise<boolean> {
  if (basename(dirname(trash)) === ".Trash" && !(await isForAll(dirname(trash)))) return false;
  const stat = await look(trash);
  return stat?.isDirectory() === true && stat.uid === uid;
}

/** The folder, or the nearest above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await lstat(fsPath(folder))).isDirectory() || dirname(folder) === folder) return folder;
  } catch {
    // not there, or not to be looked into
  }
  return dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function homeTrash(environment: Environment): string {
  const { XDG_DATA_HOME = "" } = environment;
  // A relative one is to be ignored, says the base directory specification.
  const data = isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homeFolder(environment), ".local", "share");
  return join(data, "Trash");
}

/** The highest folder above a file that is on its file system. */
async function topOf(path: string): Promise<string> {
  const { dev } = await lstat(fsPath(dirname(path)));
  let top = dirname(path);
  while (dirname(top) !== top && (await lstat(fsPath(dirname(top)))).dev === dev) top = dirname(top);
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
  const text = noteText(noted);
  for (let n = 1; ; n++) {
    const name = spareName(basename(from), n);
    const note = join(info, noteName(name));
    // The note comes first, and only where there is none: whoever has it has the name.
    if (!(await writeNew(note, text))) continue;
    try {
      const target = join(files, name);
      if (!(await look(target))) {
        await rename(fsPath(from), fsPath(target));
        return target;
      }
    } catch (error) {
      await unlink(fsPath(note));
      throw error;
    }
    await unlink(fsPath(note)); // a file without its note lies there
  }
}

/** @returns false where there is a file of that name already */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(fsPath(path), "wx", 0o600);
    try {
      await file.writeFile(text);
    } catch (error) {
      await unlink(fsPath(path));
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
    return await lstat(fsPath(path));
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
