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
import { systemCode } from "../../errors.ts";
import { realPath } from "../../path-bytes.ts";

/**
 * What lies beside a database and was left there: one that was found broken, another pidex's, one half built, one that
 * the index was compared with.
 */
export interface Leftover {
  path: string;
  kind: "broken" | "version" | "rebuild";
  /** With its side files. */
  bytes: number;
}

/** What the file system says of a database, without a look into it. */
export interface FileFacts {
  bytes: number;
  walBytes: number;
  /** Permissions in octal digits. Absent, as is all below, where the system has none (Windows). */
  mode?: string;
  /** A name where it is the user's own, else a number. */
  owner?: string;
  yours?: boolean;
  folderMode?: string;
}

/** Where a link to a database leads, be there a file or not: SQLite keeps its log beside that. */
export function linkTarget(path: string): string {
  if (existsSync(path)) return realPath(path);
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path; // no link, or nothing there: opening it tells what is wrong
  }
}

/** @throws the error of `fs` when it cannot be looked at */
export function fileFacts(path: string): FileFacts {
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

/** The user's name; the number where the system knows none, as in some containers. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (systemCode(error) !== "ERR_SYSTEM_ERROR") throw error;
    return String(process.getuid?.());
  }
}

/** Why a database may not be written, or files made beside it. One that does not exist is looked for where it would be. */
export function whyUnwritable(path: string): string | undefined {
  const folder = nearestFolder(path);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** Room left for the user on the disk that a database is, or would be, on, in bytes. */
export function diskFree(path: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  return bavail * bsize;
}

/** The innermost folder above a path that exists. */
function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** What SQLite keeps beside a database while it is open. */
const SIDES = ["-wal", "-shm", "-journal"];
/** What pidex locks: they hold nothing, and stay. */
const LOCKS = [".turn", ".open"];

/** The log of a database and what else SQLite keeps beside it, as far as that is there. */
export function sidesOf(path: string): string[] {
  return SIDES.map((side) => path + side).filter((side) => existsSync(side));
}

/** What was left beside a database, by name. `ours` is the database itself, where it is called as another's would be. */
export function leftovers(path: string, ours: string): Leftover[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const start = `${basename(path)}.`;
  const endings = readdirSync(folder)
    .filter((each) => each.startsWith(start))
    .map((each) => withoutSide(each.slice(start.length)));
  return [...new Set(endings)].sort().flatMap((ending) => {
    const kind = kindOf(ending);
    const file = join(folder, start + ending);
    return kind && file !== ours ? [{ path: file, kind, bytes: sizeOf(file) }] : [];
  });
}

/** A side file, or a lock, may be all that is left. */
function withoutSide(ending: string): string {
  const side = [...SIDES, ...LOCKS].find((each) => ending.endsWith(each));
  return side ? withoutSide(ending.slice(0, -side.length)) : ending;
}

function kindOf(ending: string): Leftover["kind"] | undefined {
  if (/^(v\d+\.)?broken-/.test(ending)) return "broken";
  if (/^v\d+$/.test(ending)) return "version";
  return /^(v\d+\.)?rebuild/.test(ending) ? "rebuild" : undefined;
}

function sizeOf(path: string): number {
  return ["", ...SIDES, ...LOCKS].reduce(
    (sum, side) => sum + (statSync(path + side, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
