import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import { systemCode } from "../src/errors.ts";
import { fileIdentity } from "../src/file-identity.ts";
import { fsPath, isDoubtful, pathText } from "../src/path-bytes.ts";
import { isInRoot, isSessionFileName, isSubagentPath, type Root } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";

/** A file that may be a session. */
export interface PlacedFile {
  path: string;
  /** 1 when a subagent wrote it. */
  subagent: 0 | 1;
  /** A link leads out of the roots to it: it is read as a session, or not at all. */
  outside?: true | undefined;
}

/** The same, as a look at its folder found it. */
export interface FoundFile extends PlacedFile {
  stat: BigIntStats;
  /** Why it cannot be read as a session, though it has the name of one. */
  fault?: "not_a_file" | "unreadable";
}

export interface Found {
  files: FoundFile[];
  /** Folders that exist but could not be listed, and what could not be looked at: nothing is known of them. */
  unlisted: { path: string; error: unknown }[];
}

/**
 * Walks the roots and looks at (`stat`) every file that has a session's name. Follows links to folders as pi
 * does, but no link below another: folders that link to each other would be walked in every order there is. A
 * link to a folder above it is followed only where a root has a depth: pi lists what is behind it. Reads no file. A root that does not exist holds nothing.
 */
export function discover(roots: readonly Root[]): Found {
  const found = nothingFound();
  for (const _ of walkAll(roots, found));
  return found;
}

/** How many folders are walked before others get a turn: a root may be large, and Ctrl+C must be heard. */
const FOLDERS_A_TURN = 500;

/**
 * The same as `discover`, in turns.
 *
 * @param isWanted which files to tell of, asked once for each that can be read: to keep a look at each of many thousands
 * takes half as long again as to look
 * @throws the signal's reason when aborted
 */
export async function discoverInTurns(
  roots: readonly Root[],
  signal?: AbortSignal,
  isWanted?: IsWanted,
): Promise<Found> {
  const found = nothingFound();
  let folders = 0;
  for (const _ of walkAll(roots, found, isWanted)) {
    if (++folders % FOLDERS_A_TURN !== 0) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return found;
}

export function nothingFound(): Found {
  return { files: [], unlisted: [] };
}

/** A folder to walk: how far below its root, those above it, as inodes, and whether a link led here. */
interface Ahead {
  path: string;
  depth: number;
  above: readonly string[];
  linked: boolean;
}

type IsWanted = (path: string, stat: BigIntStats) => boolean;

/** Walks into `found`, and yields after each folder. */
function* walkAll(roots: readonly Root[], found: Found, isWanted: IsWanted = () => true): Generator<void> {
  // Within one root no path is met twice.
  const seen = roots.length > 1 ? new Set<string>() : undefined;
  const real = new RealRoots(roots);
  // Of nested roots the inner one first: it is the nearer one that tells whether a subagent wrote a file.
  for (const root of [...roots].sort((a, b) => b.prefix.length - a.prefix.length)) {
    const ahead: Ahead[] = [{ path: root.folder, depth: 0, above: [], linked: false }];
    for (let folder = ahead.pop(); folder; folder = ahead.pop()) {
      ahead.push(...walk(folder, root, { found, seen, isWanted, real }));
      yield;
    }
  }
}

/** Looks at one file alone, into `found`: no folder is walked. */
export function discoverFile({ path, subagent, outside }: PlacedFile, found: Found): void {
  try {
    const file = lookAt({ path, subagent, ...(outside && { outside }) });
    if (file && !file.stat.isDirectory()) found.files.push(file);
  } catch (error) {
    if (systemCode(error) !== "ENOTDIR") found.unlisted.push({ path, error });
  }
}

interface Walk {
  found: Found;
  /** The files that were met, where a path may be met in several roots. */
  seen: Set<string> | undefined;
  isWanted: IsWanted;
  real: RealRoots;
}

/** Looks at what is in one folder, and gives the folders in it. */
function walk(folder: Ahead, root: Root, { found, seen, isWanted, real }: Walk): Ahead[] {
  const inside: Ahead[] = [];
  const depth = folder.depth + 1;
  const goesDeeper = root.depth === undefined || depth <= root.depth;
  let above = folder.above;
  let entries: readonly Entry[];
  try {
    const identity = fileIdentity(statSync(fsPath(folder.path), EXACT));
    if (root.depth === undefined && above.includes(identity)) return inside; // a circle; elsewhere the depth is its end
    above = [...above, identity];
    entries = entriesIn(folder.path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") {
      found.unlisted.push({ path: folder.path, error });
    }
    return inside;
  }
  const start = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  const isBelowPrefix = start.startsWith(root.prefix);
  // The same of all files in a folder: both are told by what stands before their names.
  let belongs: boolean | undefined;
  let subagent: 0 | 1 | undefined;
  for (const entry of entries) {
    const path = start + entry.name;
    if (!isBelowPrefix && !path.startsWith(root.prefix) && !root.prefix.startsWith(path + sep)) continue;
    try {
      if (entry.isDirectory()) {
        if (goesDeeper) inside.push({ path, depth, above, linked: folder.linked });
      } else if (linksToFolder(entry, path)) {
        if (goesDeeper && !folder.linked) inside.push({ path, depth, above, linked: true });
      } else if (isSessionFileName(entry.name)) {
        if (isBelowPrefix) belongs ??= isInRoot(path, root);
        if (!(belongs ?? isInRoot(path, root)) || seen?.has(path)) continue;
        seen?.add(path);
        subagent ??= isSubagentPath(path, root) ? 1 : 0;
        const isLinked = folder.linked || entry.isSymbolicLink();
        const file = lookAt({ path, subagent, ...(isLinked && real.isOutside(path) && { outside: true }) });
        if (file?.fault || (file && isWanted(path, file.stat))) found.files.push(file);
      }
    } catch (error) {
      found.unlisted.push({ path, error });
    }
  }
  return inside;
}

/** What is in a folder: a name, as text, and what it is. */
type Entry = Pick<Dirent, "name" | "isDirectory" | "isSymbolicLink">;

/** Lists a folder. Names are asked for as bytes only where one of them is not UTF-8, which takes longer. */
function entriesIn(path: string): readonly Entry[] {
  const entries = readdirSync(fsPath(path), { withFileTypes: true }) as Dirent[];
  if (!entries.some(({ name }) => isDoubtful(name))) return entries;
  return readdirSync(fsPath(path), { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: pathText(entry.name),
    isDirectory: () => entry.isDirectory(),
    isSymbolicLink: () => entry.isSymbolicLink(),
  }));
}

const EXACT = { bigint: true } as const;

function lookAt(file: PlacedFile): FoundFile | undefined {
  const { path } = file;
  try {
    const stat = statSync(fsPath(path), EXACT);
    return stat.isFile() ? { ...file, stat } : { ...file, stat, fault: "not_a_file" };
  } catch {
    // A link to nothing is still there to tell of; a file deleted just now is not.
    const stat = lstatSync(fsPath(path), { ...EXACT, throwIfNoEntry: false });
    return stat && { ...file, stat, fault: "unreadable" };
  }
}

function linksToFolder(entry: Entry, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return statSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // A link to itself leads nowhere, and one with a session's name is told of as a file.
    if (systemCode(error) === "ELOOP" || isSessionFileName(entry.name)) return false;
    throw error;
  }
}
