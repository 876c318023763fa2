/**
 * The trash of Linux and BSD desktops, by version 1.0 of freedesktop.org's specification: a trashed file in `files/`, and a
 * note in `info/` with its original path and deletion date.
 */
import type { Stats } from "node:fs";
import { lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative } from "node:path";
import { type Environment, findHome, getHomeFolder } from "../environment.ts";
import { systemCode } from "../errors.ts";
import { encodePath, resolveLinks } from "../path-bytes.ts";
import { formatNote, type TrashFolders, toNoteName } from "./trash-notes.ts";

/**
 * Moves a file or folder to the user's trash: the one in the home folder, or the trash of the file system it is on. Never
 * copies.
 *
 * @param path absolute
 * @returns its path in the trash
 * @throws the error of `fs`: `EXDEV` if neither trash is on its file system
 */
export async function moveToFreedesktopTrash(path: string, environment: Environment): Promise<string> {
  // Links in the parent path are resolved, so that the note stays valid; if `path` is itself a link, the link is moved.
  const from = join(resolveLinks(dirname(path)), basename(path));
  const home = homeTrash(environment);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await moveInto(home, from, from);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
  }
  const top = await findTopFolder(from);
  return moveInto(await ensureTrash(top), from, relative(top, from));
}

/** The user's trashes that can hold files from `folders`. Creates nothing. */
export async function findFreedesktopTrashes(
  folders: readonly string[],
  environment: Environment,
): Promise<TrashFolders[]> {
  const uid = process.getuid?.() ?? 0;
  const topFolders = new Set<string>();
  for (const folder of folders)
    topFolders.add(await findTopFolder(join(await findExistingFolder(folder), "file")));
  const trashes = [...topFolders].flatMap((top) => [
    { trash: join(top, ".Trash", String(uid)), top },
    { trash: join(top, `.Trash-${uid}`), top },
  ]);
  const hasNoHome = findHome(environment) === undefined && !isAbsolute(environment.XDG_DATA_HOME ?? "");
  const ownTrashes: typeof trashes = [];
  // In a world-writable folder, another user could have created a trash with forged notes.
  for (const each of trashes) if (await isOwnTrash(each.trash, uid)) ownTrashes.push(each);
  const all = [...(hasNoHome ? [] : [{ trash: homeTrash(environment), top: "/" }]), ...ownTrashes];
  return all.map(({ trash, top }) => ({
    notesFolder: join(trash, "info"),
    filesFolder: join(trash, "files"),
    basePath: top,
  }));
}

/** Whether a trash belongs to this user and is not a link; a shared parent folder must be sticky. */
async function isOwnTrash(trash: string, uid: number): Promise<boolean> {
  if (basename(dirname(trash)) === ".Trash" && !(await isSharedTrash(dirname(trash)))) return false;
  const stat = await lstatIfExists(trash);
  return stat?.isDirectory() === true && stat.uid === uid;
}

/** The folder, or its nearest ancestor that exists. */
async function findExistingFolder(folder: string): Promise<string> {
  try {
    if ((await lstat(encodePath(folder))).isDirectory() || dirname(folder) === folder) return folder;
  } catch {
    // missing or unreadable
  }
  return dirname(folder) === folder ? folder : findExistingFolder(dirname(folder));
}

function homeTrash(environment: Environment): string {
  const { XDG_DATA_HOME = "" } = environment;
  // The base directory specification says to ignore a relative path.
  const data = isAbsolute(XDG_DATA_HOME)
    ? XDG_DATA_HOME
    : join(getHomeFolder(environment), ".local", "share");
  return join(data, "Trash");
}

/** The top folder of the file system that a file is on. */
async function findTopFolder(path: string): Promise<string> {
  const { dev } = await lstat(encodePath(dirname(path)));
  let top = dirname(path);
  while (dirname(top) !== top && (await lstat(encodePath(dirname(top)))).dev === dev) top = dirname(top);
  return top;
}

/** The trash of a file system: the user's folder in the shared `.Trash`, else `.Trash-UID`. */
async function ensureTrash(top: string): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const shared = join(top, ".Trash");
  const own = join(top, `.Trash-${uid}`);
  if (await isSharedTrash(shared)) {
    try {
      return await ensureOwnFolder(join(shared, String(uid)), uid);
    } catch {
      // The specification says to fall back to the user's own trash.
    }
  }
  return ensureOwnFolder(own, uid);
}

/** Whether a folder is sticky and not a link: otherwise other users could remove or redirect its files. */
async function isSharedTrash(folder: string): Promise<boolean> {
  const stat = await lstatIfExists(folder);
  return stat?.isDirectory() === true && (stat.mode & 0o1000) !== 0;
}

async function ensureOwnFolder(folder: string, uid: number): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  const stat = await lstat(folder);
  if (!stat.isDirectory() || stat.uid !== uid)
    throw new Error(`${folder} is not a folder owned by the current user`);
  return folder;
}

/** @param noted the path in the note: relative to the file system's top folder, except in the home trash */
async function moveInto(trash: string, from: string, noted: string): Promise<string> {
  const [files, info] = [join(trash, "files"), join(trash, "info")];
  for (const folder of [files, info]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const text = formatNote(noted);
  for (let n = 1; ; n++) {
    const name = toTrashName(basename(from), n);
    const note = join(info, toNoteName(name));
    // Creating the note reserves the name.
    if (!(await writeNew(note, text))) continue;
    try {
      const target = join(files, name);
      if (!(await lstatIfExists(target))) {
        await rename(encodePath(from), encodePath(target));
        return target;
      }
    } catch (error) {
      await unlink(encodePath(note));
      throw error;
    }
    await unlink(encodePath(note)); // a file without a note already has this name
  }
}

/** @returns false if the file already exists */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(encodePath(path), "wx", 0o600);
    try {
      await file.writeFile(text);
    } catch (error) {
      await unlink(encodePath(path));
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

/** `lstat`, or undefined if nothing exists at the path. */
export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(encodePath(path));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Leaves room for a number and `.trashinfo` within the 255 bytes that most file systems allow. */
const MAX_NAME_BYTES = 230;

/** The `n`th candidate for a file's name in the trash: `x.jsonl`, `x 2.jsonl` and so on. */
export function toTrashName(name: string, n: number): string {
  const ending = Buffer.byteLength(extname(name)) > 32 ? "" : extname(name);
  const stem = Array.from(name.slice(0, name.length - ending.length));
  while (Buffer.byteLength(stem.join("")) > MAX_NAME_BYTES - Buffer.byteLength(ending)) stem.pop();
  return `${stem.join("")}${n === 1 ? "" : ` ${n}`}${ending}`;
}
