import { basename, dirname, join, parse, sep } from "node:path";
import { isBelow, realPath } from "../src/path-bytes.ts";
import { CHILD_SESSIONS } from "../src/session/locations.ts";
import { recordedPath } from "../src/session/recorded-path.ts";
import { findHome } from "../src/surroundings.ts";
import { CALLER_FOLDER, CHILD_FOLDERS, type SubagentRun } from "./subagent-results.ts";

/** A session that reports runs of subagents. */
export interface ReportingSession {
  path: string;
  /** The id in its header. */
  id: string;
  /** The path of the session that it was forked from, as its header has it. */
  parent: string | null;
  /** When it was begun, in Unix milliseconds, or null. */
  created: number | null;
}

/** Folders that were looked at, by path: without links, or null for those that are not there. */
export type RealFolders = Map<string, string | null>;

/** No system that agents run on opens longer paths. */
const MAX_PATH_BYTES = 4096;

/**
 * The paths under which the session of a subagent's run may lie: those it was told by, and the same places beside the
 * session that tells of it. Whole trees of sessions are moved and copied, to another home for example, and the paths
 * in them are not. A fork copies what its parent reported, so that run's session may lie where the parent's runs do; `time` is that
 * of the reporting entry, which is copied if it is older than the fork. Folders are added to `known`, and looked at once.
 */
export function runPaths(
  { sessionFile, artifact }: SubagentRun,
  session: ReportingSession,
  time: number | null,
  known: RealFolders = new Map(),
): string[] {
  const { path: tellerPath, id, created } = session;
  const isCopied = time !== null && created !== null && time < created;
  const parent = isCopied && session.parent ? recordedPath(session.parent) : undefined;
  if (artifact === CHILD_FOLDERS) {
    const own = [
      ...childFolders(tellerPath),
      ...(isName(id) ? childFolders(join(dirname(tellerPath), id)) : []),
    ];
    const copied = parent === undefined ? [] : [parent, join(dirname(tellerPath), nameIn(parent))];
    const names = [id, ...[tellerPath, ...copied].map((path) => basename(nameIn(path), ".jsonl"))];
    const anywhere = names.flatMap((name) => anyChildFolder(name) ?? []);
    return [...new Set([...own, ...copied.flatMap(childFolders), ...anywhere])];
  }
  // SQLite has no half characters: without them two paths may be one.
  const named = artifact?.startsWith(CALLER_FOLDER)
    ? artifact.slice(CALLER_FOLDER.length).toWellFormed()
    : undefined;
  const told = [sessionFile, named === undefined ? artifact : null]
    .filter((path) => path !== null)
    .map((path) => recordedPath(path).toWellFormed())
    .filter((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES)
    .flatMap((path) => [path, ...spellings(path, tellerPath, known)]);
  const folder = dirname(tellerPath);
  // pi's subagents lie in `<project>/subagent-artifacts/`, or in `<project>/<session>/`.
  const below = ["subagent-artifacts", basename(tellerPath, ".jsonl")];
  if (parent !== undefined) below.push(basename(nameIn(parent), ".jsonl"));
  // What a subagent itself calls lies among its like, or below it.
  const above = basename(folder) === "subagent-artifacts" ? [folder, dirname(folder)] : [folder];
  const beside = told.flatMap((path) => {
    const parts = path.split(/[/\\]/);
    const start = parts.findLastIndex((part, n) => n < parts.length - 1 && below.includes(part));
    return start < 0 ? [] : above.map((anchor) => join(anchor, ...parts.slice(start)));
  });
  const callers = [tellerPath, ...(parent === undefined ? [] : [join(folder, nameIn(parent)), parent])];
  const inCallersFolder =
    named === undefined
      ? []
      : callers.map((path) => join(dirname(path), basename(path, ".jsonl"), named).toWellFormed());
  return [...new Set([...told, ...beside, ...inCallersFolder])];
}

/**
 * A path without links, and as it is spelled below the root of a session that lies in the same tree: pi may record a link that
 * pidex does not follow, or pidex find its root by a link that pi does not know. None where no links are.
 */
function spellings(path: string, sessionPath: string, known: RealFolders): string[] {
  let listed = dirname(sessionPath);
  let unlinked = realFolder(listed, known);
  const home = findHome();
  const isNear = [topOf(listed), topOf(unlinked), ...(home === undefined ? [] : [home])].some((folder) =>
    isBelow(path, folder),
  );
  if (!isNear || isOnNetwork(path)) return [];
  const real = join(realFolder(dirname(path), known), basename(path));
  while (listed !== unlinked && basename(listed) === basename(unlinked)) {
    listed = dirname(listed);
    unlinked = dirname(unlinked);
  }
  const isInTree = listed !== unlinked && real.startsWith(unlinked + sep);
  return [real, ...(isInTree ? [listed + real.slice(unlinked.length)] : [])];
}

/**
 * The first two names of a folder's path: `/home/ada`, `/Volumes/Work`. Links are looked for there and below home alone: what sessions of
 * others name may lie where a network is mounted that does not answer, and the sync would wait for it.
 */
function topOf(folder: string): string {
  const { root } = parse(folder);
  return join(root, ...folder.slice(root.length).split(sep, 2));
}

/** Whether Windows asks another computer for a path. */
function isOnNetwork(path: string): boolean {
  return sep === "\\" && /^[\\/]{2}/.test(path);
}

/** A folder without links, as far as it is there. From the top: below a folder that is missing nothing is looked at. */
function realFolder(path: string, known: RealFolders): string {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let [folder, real] = [root, root];
  for (const [n, name] of names.entries()) {
    folder = join(folder, name);
    const found = known.get(folder) ?? (known.has(folder) ? null : realPathOrNull(folder));
    known.set(folder, found);
    if (found === null) return join(real, names.slice(n).join(sep));
    real = found;
  }
  return real;
}

function realPathOrNull(path: string): string | null {
  try {
    return realPath(path);
  } catch {
    return null;
  }
}

/**
 * The folders, each with a separator at its end, in which prime-agent keeps a folder `sub-…` for each child of a session:
 * beside the folder of sessions, and for a child's own children in the folder of that child.
 */
function childFolders(tellerPath: string): string[] {
  const folder = dirname(tellerPath);
  const beside = join(dirname(folder), CHILD_SESSIONS, basename(tellerPath, ".jsonl"));
  return [beside, folder].map((each) => each.toWellFormed() + sep);
}

/**
 * The folder of a parent's children in whichever root it lies: a copy of the parent in another root has the same children. Only
 * where the parent has an id that no other session has; undefined for others.
 */
function anyChildFolder(name: string): string | undefined {
  return UUID.test(name) ? `${CHILD_SESSIONS}${sep}${name}${sep}` : undefined;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Whether a session id can be the name of a folder. */
function isName(id: string): boolean {
  return id !== "" && id !== "." && id !== ".." && !/[/\\\0]/.test(id);
}

/** The last part of a path of this system or of Windows. */
function nameIn(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** The folders, as `runPaths` has them, of the parent whose child's session a file may be; none for other files. */
export function childFoldersOf(path: string): string[] {
  const folder = dirname(path);
  if (!basename(folder).startsWith("sub-")) return [];
  const ofParent = dirname(folder);
  const isAmongArtifacts = basename(dirname(ofParent)) === CHILD_SESSIONS;
  const anywhere = isAmongArtifacts ? anyChildFolder(basename(ofParent)) : undefined;
  return anywhere === undefined ? [ofParent + sep] : [ofParent + sep, anywhere];
}
