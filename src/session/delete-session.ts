/** Deleting a session: its file, the folder of what its subagents wrote, and what was kept of it from before an upgrade. */
import { rm } from "node:fs/promises";
import { PidexError } from "../errors.ts";
import { fsPath } from "../path-bytes.ts";
import { companionsOf } from "./companions.ts";
import { look } from "./freedesktop-trash.ts";
import { expandPath, isSessionFileName } from "./locations.ts";
import { moveToTrash, type Trashed, type TrashKind, type TrashOptions, trashInUse } from "./trash.ts";

export interface DeleteOptions extends TrashOptions {
  /** Nothing goes to the trash: it is gone for good. */
  permanent?: boolean;
  /** Nothing is touched; the answer says what would be. */
  dryRun?: boolean;
}

/** Where a file or folder went. */
export interface Gone {
  path: string;
  to: TrashKind | "nowhere";
  /** Where it lies now, where that is known. */
  trashPath?: string;
}

/** What was deleted: the session's file, and what went along with it. */
export interface Deleted extends Gone {
  along: Gone[];
}

/**
 * Deletes a session: into the trash, or for good when told so. Along go the folder of its name, into which its subagents
 * wrote (pi leaves it behind, as sessions of nobody), and the `.bak` of its file from before it was upgraded. Forks of it
 * hold copies of their own and stay whole.
 *
 * An agent that has the session open does not notice, and writes what comes next into a new file.
 *
 * @throws PidexError `NOT_FOUND` where there is no such file, `BAD_OPTION` where it is a folder, `TRASH_FAILED` where it
 * could not be moved to the trash, and then it is where it was, `FILE_UNWRITABLE` where it could not be deleted for good
 */
export async function deleteSession(path: string, options: DeleteOptions = {}): Promise<Deleted> {
  const file = expandPath(path);
  const stat = await look(file);
  if (!stat) throw new PidexError("NOT_FOUND", `there is no file ${file}`, "Look at its path.");
  if (!isSessionFileName(file)) {
    throw new PidexError(
      "BAD_OPTION",
      `${file} is no session: its name ends otherwise`,
      "Name a session's file.",
    );
  }
  if (stat.isDirectory()) throw new PidexError("BAD_OPTION", `${file} is a folder`, "Name a session's file.");
  // The session's own file last: when something else cannot go, it is still there to be deleted again.
  const along: Gone[] = [];
  for (const other of companionsOf(file)) along.push(await dispose(other, options));
  return { ...(await dispose(file, options)), along };
}

async function dispose(path: string, { permanent, dryRun, ...trash }: DeleteOptions): Promise<Gone> {
  if (permanent) {
    if (!dryRun) await remove(path);
    return { path, to: "nowhere" };
  }
  const trashed: Trashed = dryRun ? { to: await trashInUse(trash) } : await moveToTrash(path, trash);
  return { path, ...trashed };
}

async function remove(path: string): Promise<void> {
  try {
    await rm(fsPath(path), { recursive: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = "Look at who may write to its folder.";
    throw new PidexError("FILE_UNWRITABLE", `${path} could not be deleted: ${reason}`, hint, { cause });
  }
}
