/** Trash notes (`.trashinfo`) in freedesktop.org's format: the original paths of files in a trash. pidex writes them for macOS too. */
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { systemCode } from "../errors.ts";
import { decodePath, encodePath } from "../path-bytes.ts";

/** The folders of a trash. */
export interface TrashFolders {
  notesFolder: string;
  filesFolder: string;
  /** Base folder of relative paths in its notes. */
  basePath?: string;
}

/** The content of a trash note. */
export interface TrashNote {
  /** The original path. */
  path: string;
  /** The path in the trash. */
  trashPath: string;
  notePath: string;
  /** To the second, as in the note. */
  deletedAt: Date;
  /** Unix milliseconds when the note was written; orders deletions within a second. */
  writtenAt: number;
}

const EXTENSION = ".trashinfo";
/** Far longer than the note of the longest path. */
const MAX_NOTE_BYTES = 64 * 1024;

/** The name of a trashed file's note. */
export const toNoteName = (name: string): string => `${name}${EXTENSION}`;

/** The text of a note for a file deleted now. */
export function formatNote(path: string, inode?: bigint): string {
  const end = inode === undefined ? "" : `X-Pidex-Inode=${inode}\n`;
  return `[Trash Info]\nPath=${escapePath(path)}\nDeletionDate=${formatLocalTime(new Date())}\n${end}`;
}

/** Writes the note of a file that is in, or about to be moved to, a trash without its own notes. @returns the note's path */
export async function writeNote(
  { notesFolder }: TrashFolders,
  trashPath: string,
  path: string,
  inode: bigint,
): Promise<string> {
  await mkdir(encodePath(notesFolder), { recursive: true, mode: 0o700 });
  const note = join(notesFolder, toNoteName(basename(trashPath)));
  await writeFile(encodePath(note), formatNote(path, inode), { mode: 0o600 });
  return note;
}

/** Reads a note by its name; undefined if the note is invalid or its file is gone. */
export async function readNote(place: TrashFolders, name: string): Promise<TrashNote | undefined> {
  const notePath = join(place.notesFolder, name);
  const trashPath = join(place.filesFolder, name.slice(0, -EXTENSION.length));
  try {
    const [note, file] = [
      await lstat(encodePath(notePath)),
      await lstat(encodePath(trashPath), { bigint: true }),
    ];
    if (!note.isFile() || note.size > MAX_NOTE_BYTES) return undefined;
    const text = await readFile(encodePath(notePath), "utf8");
    const path = parsePath(text, place.basePath);
    const inode = /^X-Pidex-Inode=(\d+)$/m.exec(text)?.[1];
    // If notes are not kept with the files, another file may have taken the name.
    if (path === undefined || (inode !== undefined && BigInt(inode) !== file.ino)) return undefined;
    const date = new Date(/^DeletionDate=(.*)$/m.exec(text)?.[1] ?? "");
    const deletedAt = Number.isNaN(date.getTime()) ? note.mtime : date;
    return { path, trashPath, notePath, deletedAt, writtenAt: note.mtimeMs };
  } catch (error) {
    // Another user's trash, or emptied meanwhile: unreadable files cannot be restored.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

export const isNoteName = (name: string): boolean => name.endsWith(EXTENSION);

/** The original path in a note; undefined if it is missing, or contains `..` or an invalid escape. */
function parsePath(text: string, top: string | undefined): string | undefined {
  const [, written] = /^\[Trash Info\]\n(?:.*\n)*?Path=(.+)$/m.exec(text) ?? [];
  const path = written === undefined ? undefined : unescapePath(written);
  if (path === undefined || path.split("/").includes("..")) return undefined;
  if (isAbsolute(path)) return path;
  return top === undefined ? undefined : join(top, path);
}

/** Percent-encodes a path: every byte except letters, digits, `-._~` and slashes. */
function escapePath(path: string): string {
  const asInUrl = (byte: number) => {
    const character = String.fromCharCode(byte);
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  };
  return Array.from(Buffer.from(encodePath(path) as string | Buffer), asInUrl).join("");
}

/** Decodes a percent-encoded path; undefined for an invalid escape. */
function unescapePath(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  // Each decoded byte is now one character; other characters may have been written unescaped.
  return decodePath(
    Buffer.concat(Array.from(bytes, (each) => Buffer.from(each, each <= "\xff" ? "latin1" : "utf8"))),
  );
}

/** Local time, such as `2026-01-31T09:30:00`. */
function formatLocalTime(date: Date): string {
  const utc = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return utc.toISOString().slice(0, 19);
}
