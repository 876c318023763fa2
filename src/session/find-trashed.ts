/** Finds sessions in the trash that can be restored. */
import { readdir } from "node:fs/promises";
import { decodePath, encodePath } from "../path-bytes.ts";
import { isCompanionPath } from "./companions.ts";
import { findFreedesktopTrashes, lstatIfExists } from "./freedesktop-trash.ts";
import { isInRoot, isSessionFileName, type Root, toDecompressedName } from "./locations.ts";
import { resolveRoot } from "./real-roots.ts";
import { getMacTrash, type TrashOptions } from "./trash.ts";
import { isNoteName, readNote, type TrashFolders, type TrashNote } from "./trash-notes.ts";

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
export async function findTrashedSessions(
  roots: readonly Root[],
  { environment = process.env, platform = process.platform }: TrashOptions = {},
): Promise<TrashedSession[]> {
  const allRoots = withResolvedRoots(roots);
  const folders = allRoots.map(({ folder }) => folder);
  const notes: TrashNote[] = [];
  for (const place of await getTrashes(folders, environment, platform)) {
    for await (const note of readNotes(place)) {
      if (allRoots.some((root) => isInRoot(note.path, root))) notes.push(note);
    }
  }
  // Oldest first, so that companions are not assigned to a later session with the same path.
  notes.sort((a, b) => a.writtenAt - b.writtenAt);
  const taken = new Set<TrashNote>();
  const sessions: { note: TrashNote; along: TrashNote[] }[] = [];
  for (const note of notes) {
    const session = toDecompressedName(note.path) ?? note.path;
    if (!isSessionFileName(session) || !(await lstatIfExists(note.trashPath))?.isFile()) continue;
    const isAlong = (other: TrashNote) =>
      !taken.has(other) &&
      other.writtenAt <= note.writtenAt &&
      note.writtenAt - other.writtenAt < MAX_MOVE_MS &&
      other !== note &&
      isCompanionPath(session, other.path);
    const along = [...new Map(notes.filter(isAlong).map((other) => [other.path, other])).values()];
    for (const each of along) taken.add(each);
    sessions.push({ note, along });
  }
  return sessions
    .filter(({ note }) => !taken.has(note))
    .map(({ note, along }) => ({ ...trashedFile(note), along: along.map(trashedFile) }))
    .reverse();
}

function trashedFile({ path, trashPath, notePath, deletedAt }: TrashNote): TrashedFile {
  return { path, trashPath, notePath, deletedAt };
}

/** Roots, and the same with links resolved, as in notes. A root that no longer exists stays as it is. */
export function withResolvedRoots(roots: readonly Root[]): Root[] {
  return roots.flatMap((root) => {
    const real = resolveRoot(root);
    return real === undefined || real.folder === root.folder ? [root] : [root, real];
  });
}

async function getTrashes(
  folders: readonly string[],
  environment: NonNullable<TrashOptions["environment"]>,
  platform: NodeJS.Platform,
): Promise<TrashFolders[]> {
  if (platform === "win32") return []; // its trash is not supported
  return platform === "darwin" ? [getMacTrash(environment)] : findFreedesktopTrashes(folders, environment);
}

async function* readNotes(place: TrashFolders): AsyncGenerator<TrashNote> {
  let names: string[];
  try {
    names = (await readdir(encodePath(place.notesFolder), "buffer")).map(decodePath);
  } catch {
    return; // no trash, or not readable
  }
  for (const name of names.filter(isNoteName)) {
    const note = await readNote(place, name);
    if (note) yield note;
  }
}
