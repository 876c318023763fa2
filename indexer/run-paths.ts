import { basename, dirname, join, parse, sep } from "node:path";
import { findHome } from "../src/environment.ts";
import { isBelow, resolveLinks } from "../src/path-bytes.ts";
import { CHILD_SESSIONS_FOLDER } from "../src/session/locations.ts";
import { normalizeRecordedPath } from "../src/session/recorded-path.ts";
import { CALLER_FOLDER_PREFIX, CHILD_FOLDER_PATTERN, type SubagentRun } from "./subagent-results.ts";

/** A session that reports subagent runs. */
export interface ReportingSession {
  path: string;
  /** The id in its header. */
  id: string;
  /** The path of the session that it was forked from, as in its header. */
  parent: string | null;
  /** When it was created, in Unix milliseconds, or null. */
  created: number | null;
}

/** Folders by path, with links resolved; null for folders that don't exist. */
export type RealFolders = Map<string, string | null>;

/** For files of another machine: this one's folders and links have nothing to do with them. */
export const NO_LINKS: RealFolders = new (class extends Map<string, null> {
  override has(): boolean {
    return true;
  }
  override get(): null {
    return null;
  }
  override set(): this {
    return this;
  }
})();

/** Longest accepted path, in bytes: Linux's PATH_MAX. */
const MAX_PATH_BYTES = 4096;

/**
 * The possible paths of a subagent run's session: the recorded ones, and the corresponding ones beside the session that reports
 * it, because folders of sessions are moved and copied, for example to another home, without changing the paths in them. A fork
 * copies its parent's reports, so that the run's session may be beside the parent. `time` is that of the reporting entry, which
 * is a copy if it is older than the fork. Resolved folders are cached in `known`.
 */
export function listRunPaths(
  { sessionFile, artifact }: SubagentRun,
  session: ReportingSession,
  time: number | null,
  known: RealFolders = new Map(),
): string[] {
  const { path: callerPath, id, created } = session;
  const isCopied = time !== null && created !== null && time < created;
  const parent = isCopied && session.parent ? normalizeRecordedPath(session.parent) : undefined;
  if (artifact === CHILD_FOLDER_PATTERN) {
    const own = [
      ...childFolders(callerPath),
      ...(isName(id) ? childFolders(join(dirname(callerPath), id)) : []),
    ];
    const copied = parent === undefined ? [] : [parent, join(dirname(callerPath), nameIn(parent))];
    const names = [id, ...[callerPath, ...copied].map((path) => basename(nameIn(path), ".jsonl"))];
    const anywhere = names.flatMap((name) => anyChildFolder(name) ?? []);
    return [...new Set([...own, ...copied.flatMap(childFolders), ...anywhere])];
  }
  // SQLite stores no lone surrogates.
  const named = artifact?.startsWith(CALLER_FOLDER_PREFIX)
    ? artifact.slice(CALLER_FOLDER_PREFIX.length).toWellFormed()
    : undefined;
  const recorded = [sessionFile, named === undefined ? artifact : null]
    .filter((path) => path !== null)
    .map((path) => normalizeRecordedPath(path).toWellFormed())
    .filter((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES)
    .flatMap((path) => [path, ...spellings(path, callerPath, known)]);
  const folder = dirname(callerPath);
  // pi's subagents are in `<project>/subagent-artifacts/`, or in `<project>/<session>/`.
  const below = ["subagent-artifacts", basename(callerPath, ".jsonl")];
  if (parent !== undefined) below.push(basename(nameIn(parent), ".jsonl"));
  // A subagent's own subagents are beside it or below it.
  const above = basename(folder) === "subagent-artifacts" ? [folder, dirname(folder)] : [folder];
  const beside = recorded.flatMap((path) => {
    const parts = path.split(/[/\\]/);
    const start = parts.findLastIndex((part, n) => n < parts.length - 1 && below.includes(part));
    return start < 0 ? [] : above.map((anchor) => join(anchor, ...parts.slice(start)));
  });
  const callers = [callerPath, ...(parent === undefined ? [] : [join(folder, nameIn(parent)), parent])];
  const inCallersFolder =
    named === undefined
      ? []
      : callers.map((path) => join(dirname(path), basename(path, ".jsonl"), named).toWellFormed());
  return [...new Set([...recorded, ...beside, ...inCallersFolder])];
}

/**
 * Other paths of the same file: with links resolved, and below the root of `sessionPath` if that contains links. pi may record
 * a path through a link that pidex doesn't use, and pidex may reach its root through a link that pi doesn't use.
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
 * The first two names of a folder's path: `/home/ada`, `/Volumes/Work`. Links are resolved only there and below the home
 * folder: a path recorded on another machine may be on a network mount that doesn't respond, which would block the sync.
 */
function topOf(folder: string): string {
  const { root } = parse(folder);
  return join(root, ...folder.slice(root.length).split(sep, 2));
}

/** Whether a path is a network path of Windows. */
function isOnNetwork(path: string): boolean {
  return sep === "\\" && /^[\\/]{2}/.test(path);
}

/** A folder with links resolved in the part that exists. From the top, so that nothing below a missing folder is read. */
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
    return resolveLinks(path);
  } catch {
    return null;
  }
}

/**
 * The folders in which prime-agent stores a folder `sub-…` for each child of a session, with a trailing separator: beside the
 * sessions' folder, and for a child's own children in the child's folder.
 */
function childFolders(callerPath: string): string[] {
  const folder = dirname(callerPath);
  const beside = join(dirname(folder), CHILD_SESSIONS_FOLDER, basename(callerPath, ".jsonl"));
  return [beside, folder].map((path) => path.toWellFormed() + sep);
}

/**
 * The end of the path of a parent's children in any root, because a copy of the parent in another root has the same children.
 * Undefined unless the parent's id is globally unique.
 */
function anyChildFolder(name: string): string | undefined {
  return UUID.test(name) ? `${CHILD_SESSIONS_FOLDER}${sep}${name}${sep}` : undefined;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Whether a session id can be a folder name. */
function isName(id: string): boolean {
  return id !== "" && id !== "." && id !== ".." && !/[/\\\0]/.test(id);
}

/** The last part of a path, with separators of any system. */
function nameIn(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** The folders, as in `listRunPaths`, of the parent that a file may be a child's session of; empty for other files. */
export function listChildFolders(path: string): string[] {
  const folder = dirname(path);
  if (!basename(folder).startsWith("sub-")) return [];
  const ofParent = dirname(folder);
  const isAmongArtifacts = basename(dirname(ofParent)) === CHILD_SESSIONS_FOLDER;
  const anywhere = isAmongArtifacts ? anyChildFolder(basename(ofParent)) : undefined;
  return anywhere === undefined ? [ofParent + sep] : [ofParent + sep, anywhere];
}
