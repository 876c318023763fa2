/** Restores a session from the trash. */
import { closeSync } from "node:fs";
import { link, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PidexError, systemCode, toMessage } from "../errors.ts";
import { encodePath } from "../path-bytes.ts";
import type { TrashedFile, TrashedSession } from "./find-trashed.ts";
import { lstatIfExists } from "./freedesktop-trash.ts";
import { toCompressedPath, toDecompressedName } from "./locations.ts";
import { hasHeader } from "./plain-header.ts";
import { hasCompressedFile, tryOpenPlain } from "./session-bytes.ts";

/** A restored session file, and the companions restored with it. */
export interface RestoredSession {
  path: string;
  along: string[];
}

/**
 * Moves a session and its companions from the trash to their original paths. Never overwrites a file.
 *
 * @param options `dryRun` moves nothing; the result says what would be restored
 * @throws PidexError `RESTORE_FAILED` if a path is taken or a file cannot be moved; the session then stays in the trash
 */
export async function restoreSession(
  session: TrashedSession,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<RestoredSession> {
  const { along } = session;
  // The session file goes last: if a companion cannot be moved, the command can be repeated.
  const all = [...along, session];
  for (const { path } of all) if (await lstatIfExists(path).catch(() => undefined)) throw pathTaken(path);
  const other = findOtherFile(session.path);
  if (other !== undefined) throw pathTaken(other);
  if (!(await lstatIfExists(session.trashPath).catch(() => undefined)))
    throw restoreFailed(session, new Error("it is no longer in the trash"));
  for (const each of dryRun ? [] : all) {
    try {
      await mkdir(encodePath(dirname(each.path)), { recursive: true });
      await putBack(each);
    } catch (cause) {
      if (systemCode(cause) === "EEXIST" || systemCode(cause) === "ENOTEMPTY") {
        if (await lstatIfExists(each.path).catch(() => undefined)) throw pathTaken(each.path, cause);
      }
      throw restoreFailed(each, cause);
    }
    await unlink(encodePath(each.notePath)).catch(() => {}); // a leftover note is harmless, and the file is restored
  }
  return { path: session.path, along: along.map(({ path }) => path) };
}

/** A file that has the session's path in its other form, plain or compressed: two files of different sessions would have one path. */
function findOtherFile(path: string): string | undefined {
  const plain = toDecompressedName(path);
  if (plain === undefined) return hasCompressedFile(path) ? toCompressedPath(path) : undefined;
  const file = tryOpenPlain(plain);
  if (file === undefined) return undefined;
  try {
    return hasHeader(file) ? plain : undefined; // without one, it has what an agent appended to this session
  } finally {
    closeSync(file);
  }
}

/** Moves a file from the trash to its original path. @throws the error of `fs`: `EEXIST` if the path is taken */
async function putBack({ trashPath, path }: TrashedFile): Promise<void> {
  const stat = await lstatIfExists(trashPath);
  if (stat?.isFile()) {
    try {
      await link(encodePath(trashPath), encodePath(path));
      return await unlink(encodePath(trashPath));
    } catch (error) {
      // On a file system without hard links, a placeholder reserves the path, as in `trash.ts`.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? ""))
        throw error;
      if (!(await lstatIfExists(trashPath))) throw error;
    }
  }
  if (stat?.isDirectory()) await mkdir(encodePath(path));
  else await (await open(encodePath(path), "wx")).close();
  try {
    await rename(encodePath(trashPath), encodePath(path));
  } catch (error) {
    await (stat?.isDirectory() ? rmdir(encodePath(path)) : unlink(encodePath(path))); // the empty placeholder
    throw error;
  }
}

function pathTaken(path: string, cause?: unknown): PidexError {
  const hint = "Move that file first. The session is still in the trash.";
  return new PidexError("RESTORE_FAILED", `file already exists: ${path}`, hint, { cause });
}

function restoreFailed({ path, trashPath }: TrashedFile, cause: unknown): PidexError {
  const reason = toMessage(cause);
  const hint =
    systemCode(cause) === "EPERM" && process.platform === "darwin"
      ? "Give your terminal Full Disk Access (System Settings, Privacy & Security), or use Put Back in the Finder."
      : `Its path in the trash: ${trashPath}`;
  return new PidexError("RESTORE_FAILED", `${path} could not be restored: ${reason}`, hint, { cause });
}
