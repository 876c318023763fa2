/** Sessions in the trash that can be brought back. */
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

/** A session in the trash, with what went there along with it. */
export interface TrashedSession extends TrashedFile {
  along: TrashedFile[];
}

/** Longer than it takes to move a session and all that goes along to the trash, in milliseconds. */
const ALONG_MS = 10 * 60_000;

/**
 * The sessions that lay in some roots and are in the trash with a note of where they were, the last deleted first: in
 * freedesktop.org's, whichever program put them there, and in macOS's, as far as pidex or its `trash` command did.
 */
export async function findTrashed(
  roots: readonly Root[],
  { environment = process.env, platform = process.platform }: TrashOptions = {},
): Promise<TrashedSession[]> {
  const spelled = withRealFolders(roots);
  const folders = spelled.map(({ folder }) => folder);
  const notes: TrashNote[] = [];
  for (const place of await places(folders, environment, platform)) {
    for await (const note of notesIn(place)) {
      if (spelled.some((root) => isInRoot(note.path, root))) notes.push(note);
    }
  }
  // Oldest first, so that what went along with one is not taken for another's that lay at the same place later.
  notes.sort((a, b) => a.notedAt - b.notedAt);
  const taken = new Set<TrashNote>();
  const sessions: TrashedSession[] = [];
  for (const note of notes) {
    if (!isSessionFileName(note.path) || !(await look(note.trashPath))?.isFile()) continue;
    const isAlong = (other: TrashNote) =>
      !taken.has(other) &&
      other.notedAt <= note.notedAt &&
      note.notedAt - other.notedAt < ALONG_MS &&
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

/** Roots as they are named, and as they are without links: notes have the latter. What is gone of one is as it is named. */
export function withRealFolders(roots: readonly Root[]): Root[] {
  return roots.flatMap((root) => {
    const real = realRoot(root);
    return real === undefined || real.folder === root.folder ? [root] : [root, real];
  });
}

async function places(
  folders: readonly string[],
  environment: NonNullable<TrashOptions["environment"]>,
  platform: NodeJS.Platform,
): Promise<TrashPlace[]> {
  if (platform === "win32") return []; // its trash can only be asked by Windows itself
  return platform === "darwin" ? [macTrash(environment)] : freedesktopTrashes(folders, environment);
}

async function* notesIn(place: TrashPlace): AsyncGenerator<TrashNote> {
  let names: string[];
  try {
    names = (await readdir(fsPath(place.notes), "buffer")).map(pathText);
  } catch {
    return; // none there, or not one's own
  }
  for (const name of names.filter(isNoteName)) {
    const note = await readNote(place, name);
    if (note) yield note;
  }
}
