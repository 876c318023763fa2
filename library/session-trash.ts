/** What `SessionManager.listTrashed` and `restore` answer: sessions in the trash, and bringing them back. */
import { dirname, extname } from "node:path";
import { summariseFile } from "../indexer/summarise-file.ts";
import { PidexError } from "../src/errors.ts";
import { realPathSoFar } from "../src/path-bytes.ts";
import { expandPath, isInRoot, type Root, rootAt } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import { type Restored, restoreSession } from "../src/session/restore-session.ts";
import type { TrashOptions } from "../src/session/trash.ts";
import { findTrashed, type TrashedFile, withRealFolders } from "../src/session/trashed.ts";
import { usualRoots } from "../src/session/usual-roots.ts";

/** A session in the trash that can be brought back. */
export interface TrashedSessionInfo {
  /** Where it was, and is after `SessionManager.restore`. */
  path: string;
  /** Where it is now. */
  trashPath: string;
  /** When it was deleted, to the second. */
  deletedAt: Date;
  id: string;
  cwd: string;
  name?: string;
  firstMessage: string;
  messageCount: number;
  /** What went to the trash along with it, and comes back with it. */
  along: Pick<TrashedFile, "path" | "trashPath">[];
}

export interface ListTrashedOptions extends TrashOptions {
  /** The folders whose sessions are wanted. Default: those that are indexed as a rule. */
  roots?: readonly string[];
}

export interface RestoreOptions extends ListTrashedOptions {
  /** Nothing is moved; the answer says what would be. */
  dryRun?: boolean;
}

/** Sessions in the trash, the last deleted first; what is no session, or cannot be read there, is left out. */
export async function listTrashed({ roots, ...options }: ListTrashedOptions): Promise<TrashedSessionInfo[]> {
  return listTrashedIn(roots?.map(rootAt) ?? usualRoots(), options);
}

/** The same for the roots of an index, which may be less than a folder. */
export async function listTrashedIn(
  roots: readonly Root[],
  options: TrashOptions = {},
): Promise<TrashedSessionInfo[]> {
  const sessions: TrashedSessionInfo[] = [];
  for (const { path, trashPath, deletedAt, along } of await findTrashed(roots, options)) {
    const read = await summariseFile(trashPath).catch(() => undefined);
    if (!read) continue;
    const { id, cwd, name, first_message: firstMessage, message_count: messageCount } = read.summary;
    sessions.push({
      ...{ path, trashPath, deletedAt, id, cwd, firstMessage: firstMessage ?? "", messageCount },
      ...(name && { name }),
      along: along.map((each) => ({ path: each.path, trashPath: each.trashPath })),
    });
  }
  return sessions;
}

/**
 * Brings back the session that was at a path, the last deleted of several, or that is at one in the trash. Where `roots` are
 * given, only what was below one of them; else also what was at the path itself, wherever that is.
 *
 * @throws PidexError `NOT_FOUND`, `RESTORE_FAILED`, `FILE_UNWRITABLE` where a link below the roots leads out of them
 */
export async function restore(path: string, { roots, ...options }: RestoreOptions = {}): Promise<Restored> {
  if (roots) return restoreIn(roots.map(rootAt), path, options);
  const usual = usualRoots();
  const file = expandPath(path);
  const isBelowRoot = withRealFolders(usual).some((root) => isInRoot(file, root));
  return restoreIn(isBelowRoot ? usual : [...usual, exactly(file)], path, options);
}

/** Brings back a session that was below one of these roots. @throws as `restore` */
export async function restoreIn(
  roots: readonly Root[],
  path: string,
  { dryRun = false, ...trash }: Omit<RestoreOptions, "roots"> = {},
): Promise<Restored> {
  const file = expandPath(path);
  const real = realPathSoFar(file);
  const found = await findTrashed(roots, trash);
  const session =
    found.find(({ trashPath }) => trashPath === file) ??
    found.find((each) => each.path === file || each.path === real);
  if (session) {
    const inside = new RealRoots(roots);
    for (const each of [session, ...session.along]) assertInside(each.path, inside);
    return restoreSession(session, { dryRun });
  }
  throw new PidexError(
    "NOT_FOUND",
    `no session in the trash was at ${file}`,
    "pidex restore lists the sessions that can be restored. Others must be restored with the program whose trash they are in.",
  );
}

/** A session file that was moved to the trash, and when that began. */
export interface JustTrashed {
  path: string;
  trashPath?: string;
  since: Date;
}

/** Whether `restoreIn` finds what was just moved to the trash: a `trash` command may leave no note of where it was. */
export async function isRestorable(
  roots: readonly Root[],
  { path, trashPath, since }: JustTrashed,
): Promise<boolean> {
  const real = realPathSoFar(path);
  const sinceSecond = Math.floor(since.getTime() / 1000) * 1000; // notes tell no more
  return (await findTrashed(roots)).some((each) =>
    trashPath === undefined
      ? (each.path === path || each.path === real) && each.deletedAt.getTime() >= sinceSecond
      : each.trashPath === trashPath,
  );
}

/** Whoever may write to a trash can note that a file was below a root, in a folder that is a link. */
function assertInside(path: string, roots: RealRoots): void {
  if (!roots.isOutside(path)) return;
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} leads outside the session folders: nothing was restored`,
    "To restore it there, name that folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}

/** The root of one session file, and of what goes along with it. */
function exactly(file: string): Root {
  return { folder: dirname(file), prefix: file.slice(0, file.length - extname(file).length) };
}
