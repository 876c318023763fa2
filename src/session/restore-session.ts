/** Bringing a session back from the trash. */
import { link, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PidexError, systemCode } from "../errors.ts";
import { fsPath } from "../path-bytes.ts";
import { look } from "./freedesktop-trash.ts";
import type { TrashedFile, TrashedSession } from "./trashed.ts";

/** What was brought back: the session's file, and what had gone along with it. */
export interface Restored {
  path: string;
  along: string[];
}

/**
 * Moves a session from the trash to where it was, with what went along with it. Nothing that is there is overwritten.
 *
 * @param options with `dryRun` nothing is moved; the answer says what would be
 * @throws PidexError `RESTORE_FAILED` where something is in its place, or it cannot be moved: then the session is in the trash
 */
export async function restoreSession(
  session: TrashedSession,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Restored> {
  const { along } = session;
  // The session's own file last: when something else cannot be moved, the session is still there to be restored again.
  const all = [...along, session];
  for (const { path } of all) if (await look(path).catch(() => undefined)) throw isTaken(path);
  if (!(await look(session.trashPath).catch(() => undefined)))
    throw failed(session, new Error("it is no longer in the trash"));
  for (const each of dryRun ? [] : all) {
    try {
      await mkdir(fsPath(dirname(each.path)), { recursive: true });
      await putBack(each);
    } catch (cause) {
      if (systemCode(cause) === "EEXIST" || systemCode(cause) === "ENOTEMPTY") {
        if (await look(each.path).catch(() => undefined)) throw isTaken(each.path, cause);
      }
      throw failed(each, cause);
    }
    await unlink(fsPath(each.notePath)).catch(() => {}); // a note of nothing is no harm, and the file is back
  }
  return { path: session.path, along: along.map(({ path }) => path) };
}

/** Moves what is in the trash to a path where nothing is. @throws the error of the file system: `EEXIST` where something is */
async function putBack({ trashPath, path }: TrashedFile): Promise<void> {
  const stat = await look(trashPath);
  if (stat?.isFile()) {
    try {
      await link(fsPath(trashPath), fsPath(path));
      return await unlink(fsPath(trashPath));
    } catch (error) {
      // A file system without hard links: a placeholder does, as on the way to the trash.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? ""))
        throw error;
      if (!(await look(trashPath))) throw error;
    }
  }
  if (stat?.isDirectory()) await mkdir(fsPath(path));
  else await (await open(fsPath(path), "wx")).close();
  try {
    await rename(fsPath(trashPath), fsPath(path));
  } catch (error) {
    await (stat?.isDirectory() ? rmdir(fsPath(path)) : unlink(fsPath(path))); // the placeholder, which is empty
    throw error;
  }
}

function isTaken(path: string, cause?: unknown): PidexError {
  const hint = "Nothing is overwritten: move that away first. The session stays in the trash.";
  return new PidexError("RESTORE_FAILED", `a file is in its place: ${path}`, hint, { cause });
}

function failed({ path, trashPath }: TrashedFile, cause: unknown): PidexError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint =
    systemCode(cause) === "EPERM" && process.platform === "darwin"
      ? "macOS lets a terminal into ~/.Trash only with Full Disk Access (System Settings, Privacy & Security). Or put it back in the Finder."
      : `It was in the trash as ${trashPath}`;
  return new PidexError("RESTORE_FAILED", `${path} could not be put back: ${reason}`, hint, { cause });
}
