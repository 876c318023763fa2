import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode, toMessage } from "../../errors.ts";
import { resolveLinks } from "../../path-bytes.ts";
import { LOCK_FILES } from "./lock.ts";

/**
 * A leftover file beside a database: a corrupt one that was renamed, the database of another pidex version, or one from
 * an interrupted rebuild or verification.
 */
export interface LeftoverFile {
  path: string;
  kind: "broken" | "version" | "rebuild";
  /** Includes its side files. */
  bytes: number;
}

/** A database as the file system reports it. */
export interface DatabaseFileInfo {
  bytes: number;
  walBytes: number;
  /** Permissions in octal digits. Windows has neither this nor the members below. */
  mode?: string;
  /** The user's name, or the number of another user. */
  owner?: string;
  yours?: boolean;
  folderMode?: string;
}

/** The target of a link to a database, even if it doesn't exist yet: SQLite keeps its log beside the target. */
export function resolveDatabaseLink(path: string): string {
  if (existsSync(path)) return resolveLinks(path);
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path; // not a link, or nothing there: opening it reports the error
  }
}

/** @throws the error of `fs` */
export function readDatabaseFileInfo(path: string): DatabaseFileInfo {
  const stat = statSync(path);
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const facts = { bytes: stat.size, walBytes: wal?.size ?? 0 };
  if (!process.getuid) return facts;
  const yours = stat.uid === process.getuid();
  return {
    ...facts,
    mode: octal(stat),
    owner: yours ? ownName() : String(stat.uid),
    yours,
    folderMode: octal(statSync(dirname(path))),
  };
}

function octal({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(3, "0");
}

/** The user's name, or the uid if it has no user entry, as in some containers. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (systemCode(error) !== "ERR_SYSTEM_ERROR") throw error;
    return String(process.getuid?.());
  }
}

/** Why a database, or its folder, is not writable; undefined if it is. Also for a database that doesn't exist yet. */
export function describeWriteError(path: string): string | undefined {
  const folder = nearestFolder(path);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return toMessage(error);
  }
}

/** Free disk space for a database, in bytes. */
export function getFreeDiskBytes(path: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  return bavail * bsize;
}

/** The closest ancestor folder that exists. */
function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The files that SQLite keeps beside an open database. */
const SIDES = ["-wal", "-shm", "-journal"];

/** The paths of SQLite's existing side files of a database. */
export function listSideFiles(path: string): string[] {
  return SIDES.map((side) => path + side).filter((side) => existsSync(side));
}

/** The leftover files beside a database, sorted by name, except `ours`, which may have the name of another version's. */
export function listLeftoverFiles(path: string, ours: string): LeftoverFile[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const start = `${basename(path)}.`;
  const endings = readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => withoutSide(name.slice(start.length)));
  return [...new Set(endings)].sort().flatMap((ending) => {
    const kind = kindOf(ending);
    const file = join(folder, start + ending);
    return kind && file !== ours ? [{ path: file, kind, bytes: sizeOf(file) }] : [];
  });
}

/** Strips the endings of side files and locks: a database may be gone while these remain. */
function withoutSide(ending: string): string {
  const side = [...SIDES, ...LOCK_FILES].find((suffix) => ending.endsWith(suffix));
  return side ? withoutSide(ending.slice(0, -side.length)) : ending;
}

function kindOf(ending: string): LeftoverFile["kind"] | undefined {
  if (/^(v\d+\.)?broken-/.test(ending)) return "broken";
  if (/^v\d+$/.test(ending)) return "version";
  return /^(v\d+\.)?rebuild/.test(ending) ? "rebuild" : undefined;
}

function sizeOf(path: string): number {
  return ["", ...SIDES, ...LOCK_FILES].reduce(
    (sum, side) => sum + (statSync(path + side, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
