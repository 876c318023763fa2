/** Deletes a session: its file, the folder of its subagents, and its backups. */
import { rm } from "node:fs/promises";
import { PidexError, toMessage } from "../errors.ts";
import { encodePath } from "../path-bytes.ts";
import { findCompanions } from "./companions.ts";
import { isCompressed } from "./compressed-session.ts";
import { lstatIfExists } from "./freedesktop-trash.ts";
import { expandPath, isSessionFileName, toCompressedPath } from "./locations.ts";
import { detectTrash, moveToTrash, type TrashKind, type TrashOptions, type TrashResult } from "./trash.ts";

export interface DeleteOptions extends TrashOptions {
  /** Deletes permanently instead of moving to the trash. */
  permanent?: boolean;
  /** Changes nothing; the result says what would be deleted. */
  dryRun?: boolean;
}

/** A deleted file or folder. */
export interface DeletedFile {
  path: string;
  to: TrashKind | "nowhere";
  /** Its path in the trash, if known. */
  trashPath?: string;
}

/** A deleted session file, and the companions deleted with it. */
export interface DeletedSession extends DeletedFile {
  along: DeletedFile[];
}

/**
 * Moves a session to the trash, or deletes it permanently, together with its companions: the folder of the same name, which
 * holds the sessions of its subagents (pi leaves it behind), and the `.bak` made before an upgrade. Forks are not affected:
 * they hold their own copies.
 *
 * An agent that has the session open does not notice, and writes its next entry to a new file.
 *
 * @throws PidexError `NOT_FOUND`; `BAD_OPTION` for a folder or a file that is not a session; `TRASH_FAILED`, and the file is
 * unchanged; `FILE_UNWRITABLE` if it could not be deleted permanently
 */
export async function deleteSession(path: string, options: DeleteOptions = {}): Promise<DeletedSession> {
  const file = expandPath(path);
  const main = isCompressed(file) ? toCompressedPath(file) : file;
  const stat = await lstatIfExists(main);
  if (!stat) throw new PidexError("NOT_FOUND", `file not found: ${file}`, "Check the path.");
  if (!isSessionFileName(file)) {
    throw new PidexError(
      "BAD_OPTION",
      `not a session file: ${file}`,
      "Pass the path of a session file: NAME.jsonl.",
    );
  }
  if (stat.isDirectory())
    throw new PidexError("BAD_OPTION", `${file} is a folder`, "Pass the path of a session file.");
  // The session file goes last: if a companion cannot be deleted, the command can be repeated.
  const along: DeletedFile[] = [];
  for (const other of findCompanions(file)) if (other !== main) along.push(await dispose(other, options));
  return { ...(await dispose(main, options)), along };
}

async function dispose(path: string, { permanent, dryRun, ...trash }: DeleteOptions): Promise<DeletedFile> {
  if (permanent) {
    if (!dryRun) await remove(path);
    return { path, to: "nowhere" };
  }
  const trashed: TrashResult = dryRun ? { to: await detectTrash(trash) } : await moveToTrash(path, trash);
  return { path, ...trashed };
}

async function remove(path: string): Promise<void> {
  try {
    await rm(encodePath(path), { recursive: true });
  } catch (cause) {
    const reason = toMessage(cause);
    const hint = "Check the permissions of its folder.";
    throw new PidexError("FILE_UNWRITABLE", `${path} could not be deleted: ${reason}`, hint, { cause });
  }
}
