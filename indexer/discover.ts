import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import { systemCode, toMessage } from "../src/errors.ts";
import { toFileIdentity } from "../src/file-identity.ts";
import { decodePath, encodePath, mayBeMisdecoded } from "../src/path-bytes.ts";
import {
  hasCompressedName,
  isInRoot,
  isSessionFileName,
  isSubagentPath,
  type Root,
  toCompressedPath,
  toDecompressedName,
  toRetiredPath,
  toTailPath,
} from "../src/session/locations.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import { closeBytes, hasCompressedFile, isCompressedBytes, statBytes } from "../src/session/session-bytes.ts";

/** A file that may be a session. */
export interface CandidateFile {
  path: string;
  /** 1 when a subagent wrote it. */
  subagent: 0 | 1;
  /** Reached through a link that leads out of the roots: indexed only if it is a session. */
  isOutsideRoots?: true | undefined;
  /** Its bytes are in a compressed file. */
  isCompressed?: boolean | undefined;
}

/** A session file on disk, with its `stat`. */
export interface FoundFile extends CandidateFile {
  stat: BigIntStats;
  /** Why a file with a session's name cannot be read. */
  failure?: "not_a_file" | "unreadable";
  /** Why its compressed file cannot be read. */
  reason?: string;
}

export interface Discovery {
  files: FoundFile[];
  /** Folders that could not be listed and files that could not be stat'ed. Known files below them are kept. */
  unlisted: { path: string; error: unknown }[];
}

/** Folders walked before yielding to the event loop, so that Ctrl+C works in large roots. */
const FOLDERS_PER_SLICE = 500;

/**
 * Walks the roots and returns every file with a session's name and its `stat`. Reads no file. Follows links to folders as
 * pi does, but no link below another link: folders that link to each other would be walked in every possible order. A link
 * to one of its own parent folders is followed only where the root has a depth limit, because pi lists those files too.
 *
 * @param isIncluded called once for each readable file; the others are not kept in the result. Keeping the `stat` of many
 * thousands of files makes the walk 1.5 times as long. For a compressed session, the size in this `stat` is that of the
 * compressed file: the session's is read only if the file is included.
 * @throws the signal's reason when aborted
 */
export async function discover(
  roots: readonly Root[],
  signal?: AbortSignal,
  isIncluded: FileFilter = () => true,
): Promise<Discovery> {
  const found = emptyDiscovery();
  // Only nested roots lead to the same path twice.
  const seen = roots.length > 1 ? new Set<string>() : undefined;
  const real = new RealRoots(roots);
  let folders = 0;
  // Inner roots first: the nearest root decides whether a subagent wrote a file.
  for (const root of [...roots].sort((a, b) => b.prefix.length - a.prefix.length)) {
    const pending: PendingFolder[] = [{ path: root.folder, depth: 0, parents: [], isLinked: false }];
    for (let folder = pending.pop(); folder; folder = pending.pop()) {
      pending.push(...walk(folder, root, { found, seen, isIncluded, real }));
      if (++folders % FOLDERS_PER_SLICE !== 0) continue;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
  }
  return found;
}

export function emptyDiscovery(): Discovery {
  return { files: [], unlisted: [] };
}

/** A folder to walk. */
interface PendingFolder {
  path: string;
  /** Levels below its root. */
  depth: number;
  /** Identities of its parent folders, to detect cycles. */
  parents: readonly string[];
  /** Whether it was reached through a link. */
  isLinked: boolean;
}

type FileFilter = (path: string, stat: BigIntStats, isCompressed: boolean) => boolean;

/** Adds a single file to `found`, without walking its folder. */
export function discoverFile(candidate: CandidateFile, found: Discovery): void {
  try {
    const file = readCompressed(candidate) ?? statFile(candidate);
    if (file && !file.stat.isDirectory()) found.files.push(file);
  } catch (error) {
    if (systemCode(error) !== "ENOTDIR") found.unlisted.push({ path: candidate.path, error });
  }
}

interface Walk {
  found: Discovery;
  /** Paths found so far, if there are several roots. */
  seen: Set<string> | undefined;
  isIncluded: FileFilter;
  real: RealRoots;
}

/** Adds the files of one folder to `found`, and returns its subfolders. */
function walk(folder: PendingFolder, root: Root, { found, seen, isIncluded, real }: Walk): PendingFolder[] {
  const inside: PendingFolder[] = [];
  const depth = folder.depth + 1;
  const goesDeeper = root.depth === undefined || depth <= root.depth;
  let parents = folder.parents;
  let entries: readonly Entry[];
  try {
    const identity = toFileIdentity(statSync(encodePath(folder.path), EXACT));
    if (root.depth === undefined && parents.includes(identity)) return inside; // a cycle; a depth limit would end it
    parents = [...parents, identity];
    entries = entriesIn(folder.path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") {
      found.unlisted.push({ path: folder.path, error });
    }
    return inside;
  }
  const start = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  const isBelowPrefix = start.startsWith(root.prefix);
  // Both depend on the folder only, so they are computed once for all its files.
  let isFolderInRoot: boolean | undefined;
  let subagent: 0 | 1 | undefined;
  // Most folders have no compressed sessions.
  const files = entries.filter((entry) => !entry.isDirectory());
  const hasCompressed = files.some(({ name }) => hasCompressedName(name));
  const names = new Set(hasCompressed ? files.map(({ name }) => name) : []);
  for (const entry of entries) {
    const session = entry.isDirectory() ? undefined : toDecompressedName(entry.name);
    if (session === undefined && names.has(toCompressedPath(entry.name))) continue; // found by its compressed file
    const path = start + (session ?? entry.name);
    if (!isBelowPrefix && !path.startsWith(root.prefix) && !root.prefix.startsWith(path + sep)) continue;
    try {
      if (entry.isDirectory()) {
        if (goesDeeper) inside.push({ path, depth, parents, isLinked: folder.isLinked });
      } else if (linksToFolder(entry, path)) {
        if (goesDeeper && !folder.isLinked) inside.push({ path, depth, parents, isLinked: true });
      } else if (session !== undefined || isSessionFileName(entry.name)) {
        if (isBelowPrefix) isFolderInRoot ??= isInRoot(path, root);
        if (!(isFolderInRoot ?? isInRoot(path, root)) || seen?.has(path)) continue;
        seen?.add(path);
        subagent ??= isSubagentPath(path, root) ? 1 : 0;
        const isLinked = folder.isLinked || entry.isSymbolicLink();
        const isOutside = isLinked && real.isOutside(start + entry.name);
        const candidate: CandidateFile = { path, subagent, ...(isOutside && { isOutsideRoots: true }) };
        if (session === undefined) {
          const file = statFile(candidate);
          if (file?.failure || (file && isIncluded(path, file.stat, false))) found.files.push(file);
          continue;
        }
        // What an agent appended since is in the plain file; only if it was being joined, it is in others.
        const isJoined = names.has(toTailPath(session, 1)) || names.has(toRetiredPath(session));
        const stat = statSync(encodePath(names.has(session) ? path : start + entry.name), {
          ...EXACT,
          throwIfNoEntry: false,
        });
        if (!isJoined && stat && !isIncluded(path, stat, true)) continue;
        // Without its compressed file, it was restored just now.
        const file = readCompressed(candidate) ?? statFile(candidate);
        if (file) found.files.push(file);
      }
    } catch (error) {
      found.unlisted.push({ path, error });
    }
  }
  return inside;
}

/** An item of a folder, its name decoded. */
type Entry = Pick<Dirent, "name" | "isDirectory" | "isSymbolicLink">;

/** Lists a folder. Reads names as bytes, which is slower, only if one of them is not UTF-8. */
function entriesIn(path: string): readonly Entry[] {
  const entries = readdirSync(encodePath(path), { withFileTypes: true }) as Dirent[];
  if (!entries.some(({ name }) => mayBeMisdecoded(name))) return entries;
  return readdirSync(encodePath(path), { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: decodePath(entry.name),
    isDirectory: () => entry.isDirectory(),
    isSymbolicLink: () => entry.isSymbolicLink(),
  }));
}

const EXACT = { bigint: true } as const;

function statFile(file: CandidateFile): FoundFile | undefined {
  const { path } = file;
  try {
    const stat = statSync(encodePath(path), EXACT);
    return stat.isFile() ? { ...file, stat } : { ...file, stat, failure: "not_a_file" };
  } catch {
    // A broken link is reported; a file that was deleted just now is not.
    const stat = lstatSync(encodePath(path), { ...EXACT, throwIfNoEntry: false });
    return stat && { ...file, stat, failure: "unreadable" };
  }
}

/** A session that has a compressed file, with the size of all its bytes; undefined if there is no compressed file. */
function readCompressed(file: CandidateFile): FoundFile | undefined {
  if (!hasCompressedFile(file.path)) return undefined;
  const stat = statSync(encodePath(toCompressedPath(file.path)), { ...EXACT, throwIfNoEntry: false });
  if (!stat) return undefined;
  try {
    const bytes = openForReading(file.path);
    try {
      const all = statBytes(bytes);
      if (!all.isFile()) return { ...file, stat: all, failure: "not_a_file" };
      return { ...file, stat: all, isCompressed: isCompressedBytes(bytes) };
    } finally {
      closeBytes(bytes);
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    return { ...file, stat, failure: "unreadable", reason: toMessage(error) };
  }
}

function linksToFolder(entry: Entry, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return statSync(encodePath(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // A link to itself leads nowhere; one with a session's name is reported as a file.
    if (systemCode(error) === "ELOOP" || isSessionFileName(entry.name)) return false;
    throw error;
  }
}
