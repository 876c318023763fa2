/** Finds sessions in the trash that can be restored. */
import { readdir } from "node:fs/promises";
import { fsPath, pathText } from "../path-bytes.ts";
import { isCompanionOf } from "./companions.ts";
import { freedesktopTrashes, look } from "./freedesktop-trash.ts";
import { isInRoot, isSessionFileName, type Root } from "./locations.ts";
import { realRoot } from "./real-roots.ts";
import { macTrash, type TrashOptions } from "./trash.ts";
import { isNoteName, readNote, type TrashNote, type TrashPlace } from "./trash-notes.ts";

/** A file in the trash. */
export type TrashedFile = Pick<TrashNote, "path" | "trashPath" | "notePath" | "deletedAt">;

/** A session in the trash, and the companions trashed with it. */
export interface TrashedSession extends TrashedFile {
  along: TrashedFile[];
}

/** More than it takes to move a session and its companions to the trash. */
const MAX_MOVE_MS = 10 * 60_000;

/**
 * The sessions of some roots that are in the trash with a note of their original path, the last deleted first. In
 * freedesktop.org's trash, whatever program moved them; in macOS's, only those moved by pidex.
 */
export async function findTrashed(
  roots: readonly Root[],
  { environment = process.env, platform = process.platform }: TrashOptions = {},
): Promise<TrashedSession[]> {
  const allRoots = withRealFolders(roots);
  const folders = allRoots.map(({ folder }) => folder);
  const notes: TrashNote[] = [];
  for (const place of await getTrashes(folders, environment, platform)) {
    for await (const note of readNotes(place)) {
      if (allRoots.some((root) => isInRoot(note.path, root))) notes.push(note);
    }
  }
  // Oldest first, so that companions are not assigned to a later session with the same path.
  notes.sort((a, b) => a.notedAt - b.notedAt);
  const taken = new Set<TrashNote>();
  const sessions: TrashedSession[] = [];
  for (const note of notes) {
    if (!isSessionFileName(note.path) || !(await look(note.trashPath))?.isFile()) continue;
    const isAlong = (other: TrashNote) =>
      !taken.has(other) &&
      other.notedAt <= note.notedAt &&
      note.notedAt - other.notedAt < MAX_MOVE_MS &&
      isCompanionOf(note.path, other.path);
    const along = [...new Map(notes.filter(isAlong).map((other) => [other.path, other])).values()];
    for (const each of along) taken.add(each);
    sessions.push({ ...trashedFile(note), along: along.map(trashedFile) });
  }
  return sessions.reverse();
}

function trashedFile({ path, trashPath, notePath, deletedAt }: TrashNote): TrashedFile {
  return { path, trashPath, notePath, deletedAt };
}

/** Roots, and the same with links resolved, as in notes. A root that no longer exists stays as it is. */
export function withRealFolders(roots: readonly Root[]): Root[] {
  return roots.flatMap((root) => {
    const real = realRoot(root);
    return real === undefined || real.folder === root.folder ? [root] : [root, real];
  });
}

async function getTrashes(
  folders: readonly string[],
  environment: NonNullable<TrashOptions["environment"]>,
  platform: NodeJS.Platform,
): Promise<TrashPlace[]> {
  if (platform === "win32") return []; // its trash is not supported
  return platform === "darwin" ? [macTrash(environment)] : freedesktopTrashes(folders, environment);
}

async function* readNotes(place: TrashPlace): AsyncGenerator<TrashNote> {
  let names: string[];
  try {
    names = (await readdir(fsPath(place.notes), "buffer")).map(pathText);
  } catch {
    return; // no trash, or not readable
  }
  for (const name of names.filter(isNoteName)) {
    const note = await readNote(place, name);
    if (note) yield note;
  }
}
