/** Lists sessions in the trash and restores them: behind `SessionManager.listTrashed` and `restore`. */
import { lstat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { type FileSummary, summarizeFile } from "../indexer/summarize-file.ts";
import { PidexError } from "../src/errors.ts";
import { encodePath, resolveExistingLinks } from "../src/path-bytes.ts";
import { configuredRoots } from "../src/session/configured-roots.ts";
import { findTrashedSessions, type TrashedFile, withResolvedRoots } from "../src/session/find-trashed.ts";
import { expandPath, isInRoot, type Root, toCompressedPath, toRoot } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import { type RestoredSession, restoreSession } from "../src/session/restore-session.ts";
import type { TrashOptions } from "../src/session/trash.ts";

/** A session in the trash that can be restored. */
export interface TrashedSessionInfo {
  /** Its original path, which `SessionManager.restore` moves it back to. */
  path: string;
  /** Its path in the trash. */
  trashPath: string;
  /** When it was deleted, to the second. */
  deletedAt: Date;
  id: string;
  cwd: string;
  name?: string;
  firstMessage: string;
  /** As in `SessionInfo`. */
  computedTitle?: string;
  messageCount: number;
  /** The time of its header, if that is valid. */
  created?: Date;
  /** The time of its last message, as in `SessionInfo`. */
  modified: Date;
  /** Files and folders that were moved to the trash with it, and are restored with it. */
  along: Pick<TrashedFile, "path" | "trashPath">[];
}

export interface ListTrashedOptions extends TrashOptions {
  /** Lists or restores only sessions that were below these folders. Default: the folders that are indexed by default. */
  roots?: readonly string[];
}

export interface RestoreOptions extends ListTrashedOptions {
  /** Moves nothing; the result lists what would be moved. Default: false. */
  dryRun?: boolean;
}

/** Sessions in the trash, most recently deleted first. Files that are unreadable or not sessions are omitted. */
export async function listTrashed({ roots, ...options }: ListTrashedOptions): Promise<TrashedSessionInfo[]> {
  return listTrashedIn(roots?.map(toRoot) ?? configuredRoots(), options);
}

/** Same as `listTrashed`, for the roots of an index: a root can cover a part of a folder. */
export async function listTrashedIn(
  roots: readonly Root[],
  options: TrashOptions = {},
): Promise<TrashedSessionInfo[]> {
  const sessions: TrashedSessionInfo[] = [];
  for (const { path, trashPath, deletedAt, along } of await findTrashedSessions(roots, options)) {
    const read = await summarizeTrashed(trashPath).catch(() => undefined);
    if (!read) continue;
    const { id, cwd, name, first_message: firstMessage, message_count: messageCount } = read.summary;
    const { computed_title: computedTitle, created } = read.summary;
    sessions.push({
      path,
      trashPath,
      deletedAt,
      id,
      cwd,
      firstMessage: firstMessage ?? "",
      messageCount,
      modified: new Date(read.modified),
      ...(created !== null && { created: new Date(created) }),
      ...(name && { name }),
      ...(computedTitle && { computedTitle }),
      along: along.map((each) => ({ path: each.path, trashPath: each.trashPath })),
    });
  }
  return sessions;
}

/** Summaries by path, with what identifies the file's content. */
const summaries = new Map<string, { stamp: string; summary: FileSummary | undefined }>();
const MAX_SUMMARIES = 1000;

/** Same as `summarizeFile`, but reads a file only once: files in the trash don't change, and lists of them are requested often. */
async function summarizeTrashed(path: string): Promise<FileSummary | undefined> {
  const { ino, size, mtimeNs } = await lstat(encodePath(path), { bigint: true });
  const stamp = `${ino} ${size} ${mtimeNs}`;
  const known = summaries.get(path);
  if (known?.stamp === stamp) return known.summary;
  const summary = await summarizeFile(path);
  if (summaries.size >= MAX_SUMMARIES) summaries.clear();
  summaries.set(path, { stamp, summary });
  return summary;
}

/**
 * Restores a session by its original path or its path in the trash. If several sessions had the path, restores the one deleted last.
 * With `roots`, restores only sessions that were below one of them; without, from any path.
 *
 * @throws PidexError `NOT_FOUND`, `RESTORE_FAILED`, `FILE_UNWRITABLE` if a link below the roots leads out of them
 */
export async function restore(
  path: string,
  { roots, ...options }: RestoreOptions = {},
): Promise<RestoredSession> {
  if (roots) return restoreIn(roots.map(toRoot), path, options);
  const usual = configuredRoots();
  const file = expandPath(path);
  const isBelowRoot = withResolvedRoots(usual).some((root) => isInRoot(file, root));
  return restoreIn(isBelowRoot ? usual : [...usual, rootOfFile(file)], path, options);
}

/** Restores a session that was below one of these roots. @throws as `restore` */
export async function restoreIn(
  roots: readonly Root[],
  path: string,
  { dryRun = false, ...trash }: Omit<RestoreOptions, "roots"> = {},
): Promise<RestoredSession> {
  const file = expandPath(path);
  const real = resolveExistingLinks(file);
  const found = await findTrashedSessions(roots, trash);
  const session =
    found.find(({ trashPath }) => trashPath === file) ??
    found.find((each) => each.path === file || each.path === real) ??
    found.find((each) => each.path === toCompressedPath(file));
  if (session) {
    const inside = new RealRoots(roots);
    for (const each of [session, ...session.along]) assertInside(each.path, inside);
    return restoreSession(session, { dryRun });
  }
  throw new PidexError(
    "NOT_FOUND",
    `no session in the trash came from ${file}`,
    "Run pidex trash to list what can be restored. Restore other sessions with the program that deleted them.",
  );
}

/** A session file that was just moved to the trash. */
export interface RecentlyTrashed {
  /** Its original path. */
  path: string;
  /** Its path in the trash, if known. */
  trashPath?: string;
  /** When the deletion started. */
  since: Date;
}

/** Whether `restoreIn` can find a file that was just moved to the trash: a `trash` command may not record the original path. */
export async function isRestorable(
  roots: readonly Root[],
  { path, trashPath, since }: RecentlyTrashed,
): Promise<boolean> {
  const real = resolveExistingLinks(path);
  const sinceSecond = Math.floor(since.getTime() / 1000) * 1000; // the trash records whole seconds
  return (await findTrashedSessions(roots)).some((each) =>
    trashPath === undefined
      ? (each.path === path || each.path === real) && each.deletedAt.getTime() >= sinceSecond
      : each.trashPath === trashPath,
  );
}

/** Throws if the path leaves the roots through a link: anyone who can write to the trash can forge such a note. */
function assertInside(path: string, roots: RealRoots): void {
  if (!roots.isOutside(path)) return;
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} leads outside the session folders: nothing was restored`,
    "To restore it there, name that folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}

/** A root that covers one session file and the files that belong to it. */
function rootOfFile(file: string): Root {
  return { folder: dirname(file), prefix: file.slice(0, file.length - extname(file).length) };
}
