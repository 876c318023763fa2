/** Notes of where files in a trash were: freedesktop.org's, which pidex keeps for macOS's trash too, as that has none. */
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { systemCode } from "../errors.ts";
import { fsPath, pathText } from "../path-bytes.ts";

/** Where the notes of a trash are, and the files they are of. */
export interface TrashPlace {
  notes: string;
  files: string;
  /** What relative paths in its notes begin at. */
  top?: string;
}

/** What a note says. */
export interface TrashNote {
  /** Where the file was. */
  path: string;
  /** Where it is. */
  trashPath: string;
  notePath: string;
  /** To the second, as that is all that notes have. */
  deletedAt: Date;
  /** When the note was written, in Unix milliseconds: tells which of a second was first. */
  notedAt: number;
}

const ENDING = ".trashinfo";
/** Far longer than a note of the longest path. */
const MOST_BYTES = 64 * 1024;

/** The name of the note of a file in the trash. */
export const noteName = (name: string): string => `${name}${ENDING}`;

/** The text of a note for a file that goes now. */
export function noteText(path: string, inode?: bigint): string {
  const end = inode === undefined ? "" : `X-Pidex-Inode=${inode}\n`;
  return `[Trash Info]\nPath=${escaped(path)}\nDeletionDate=${localTime(new Date())}\n${end}`;
}

/** Writes a note for a file that lies in a trash without notes of its own, or will at once. */
export async function writeNote(
  { notes }: TrashPlace,
  trashPath: string,
  path: string,
  inode: bigint,
): Promise<string> {
  await mkdir(fsPath(notes), { recursive: true, mode: 0o700 });
  const note = join(notes, noteName(basename(trashPath)));
  await writeFile(fsPath(note), noteText(path, inode), { mode: 0o600 });
  return note;
}

/** The note of a file, by its name; undefined where the file is gone, or the note is none. */
export async function readNote(place: TrashPlace, name: string): Promise<TrashNote | undefined> {
  const notePath = join(place.notes, name);
  const trashPath = join(place.files, name.slice(0, -ENDING.length));
  try {
    const [note, file] = [await lstat(fsPath(notePath)), await lstat(fsPath(trashPath), { bigint: true })];
    if (!note.isFile() || note.size > MOST_BYTES) return undefined;
    const text = await readFile(fsPath(notePath), "utf8");
    const path = pathIn(text, place.top);
    const inode = /^X-Pidex-Inode=(\d+)$/m.exec(text)?.[1];
    // Where notes are kept elsewhere than files, another file may have taken the name.
    if (path === undefined || (inode !== undefined && BigInt(inode) !== file.ino)) return undefined;
    const date = new Date(/^DeletionDate=(.*)$/m.exec(text)?.[1] ?? "");
    const deletedAt = Number.isNaN(date.getTime()) ? note.mtime : date;
    return { path, trashPath, notePath, deletedAt, notedAt: note.mtimeMs };
  } catch (error) {
    // Somebody else's trash, or emptied meanwhile: what cannot be read cannot be brought back.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

export const isNoteName = (name: string): boolean => name.endsWith(ENDING);

/** Where the file was, by its note: undefined where the note does not say, or means another place than it names. */
function pathIn(text: string, top: string | undefined): string | undefined {
  const [, written] = /^\[Trash Info\]\n(?:.*\n)*?Path=(.+)$/m.exec(text) ?? [];
  const path = written === undefined ? undefined : unescaped(written);
  if (path === undefined || path.split("/").includes("..")) return undefined;
  if (isAbsolute(path)) return path;
  return top === undefined ? undefined : join(top, path);
}

/** A path as a URL has it: everything but letters, digits, `-._~` and slashes is a percent sign and two digits. */
function escaped(path: string): string {
  const asInUrl = (byte: number) => {
    const character = String.fromCharCode(byte);
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  };
  return Array.from(Buffer.from(fsPath(path) as string | Buffer), asInUrl).join("");
}

/** The path that was escaped; undefined for what is no such text. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  // Each byte is a character now, but for those that stand there unescaped.
  return pathText(
    Buffer.concat(Array.from(bytes, (each) => Buffer.from(each, each <= "\xff" ? "latin1" : "utf8"))),
  );
}

/** `2026-01-31T09:30:00`, by the clock on the wall. */
function localTime(date: Date): string {
  const utc = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return utc.toISOString().slice(0, 19);
}
