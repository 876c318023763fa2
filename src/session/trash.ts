/** Where files go that somebody deletes and may want back. */
import { execFile } from "node:child_process";
import { access, constants, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { PidexError, systemCode } from "../errors.ts";
import { fsPath } from "../path-bytes.ts";
import { homeFolder } from "../surroundings.ts";
import { type Environment, freedesktopTrash, look, spareName } from "./freedesktop-trash.ts";
import { type TrashPlace, writeNote } from "./trash-notes.ts";

export type TrashKind = "trash command" | "freedesktop trash" | "macOS trash";

/** What became of a file. */
export interface Trashed {
  to: TrashKind;
  /** Where it lies now; the `trash` command does not tell. */
  trashPath?: string;
}

export interface TrashOptions {
  /** Default: the process's own. */
  environment?: Environment;
  platform?: NodeJS.Platform;
}

/**
 * Moves a file or a folder to the trash: by the `trash` command where there is one on the PATH, as pi does, else into
 * the trash of the desktop (freedesktop.org's, on macOS `~/.Trash`). Whatever happens, it is never copied, and never
 * unlinked: it is in the trash afterwards, or where it was.
 *
 * @throws PidexError `NOT_FOUND`, `TRASH_FAILED`
 */
export async function moveToTrash(path: string, options: TrashOptions = {}): Promise<Trashed> {
  const { environment = process.env, platform = process.platform } = options;
  const whole = resolve(path);
  if (!(await look(whole)))
    throw new PidexError("NOT_FOUND", `there is no file ${whole}`, "Look at its path.");
  // An argument is text, which such a path is not.
  const command = typeof fsPath(whole) === "string" ? await trashCommand(environment, platform) : undefined;
  const { ino } = await lstat(fsPath(whole), { bigint: true });
  const refusal = command && (await runTrashCommand(command, whole, environment));
  if (command && refusal === undefined) {
    const trashPath = platform === "darwin" ? await notedIfThere(whole, ino, environment) : undefined;
    return { to: "trash command", ...(trashPath !== undefined && { trashPath }) };
  }
  try {
    return await moveWithoutCommand(whole, environment, platform);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const both = refusal === undefined ? reason : `${reason} (and ${command}: ${refusal})`;
    throw new PidexError(
      "TRASH_FAILED",
      `${whole} could not be moved to the trash: ${both}`,
      hintFor(cause),
      {
        cause,
      },
    );
  }
}

/**
 * Which trash `moveToTrash` would try first. Nothing is moved, made or run.
 *
 * @throws PidexError `TRASH_FAILED` where there is none
 */
export async function trashInUse(options: TrashOptions = {}): Promise<TrashKind> {
  const { environment = process.env, platform = process.platform } = options;
  if (await trashCommand(environment, platform)) return "trash command";
  if (platform === "win32") throw new PidexError("TRASH_FAILED", NO_TRASH, HINT);
  return platform === "darwin" ? "macOS trash" : "freedesktop trash";
}

const NO_TRASH = "pidex does not know the trash of Windows";
const HINT =
  "Install a `trash` command, move it away yourself, or delete it for good: --permanent, `permanent: true`.";

function hintFor(cause: unknown): string {
  if (systemCode(cause) !== "EXDEV") return HINT;
  return `It lies on a file system whose own trash cannot be used. ${HINT}`;
}

/** The `trash` command on the PATH, if there is one that can be run. */
async function trashCommand(
  { PATH = "" }: Environment,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const name = platform === "win32" ? "trash.exe" : "trash";
  // A PATH may name the current folder, and what lies there is not what was installed.
  for (const folder of PATH.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      if ((await lstat(path)).isDirectory()) continue;
      return path;
    } catch {
      // not here: the next folder may have it
    }
  }
  return undefined;
}

const run = promisify(execFile);

/** @returns why the file is where it was, if it is */
async function runTrashCommand(
  command: string,
  path: string,
  environment: Environment,
): Promise<string | undefined> {
  try {
    const running = run(command, [path], { env: { ...environment }, maxBuffer: Number.POSITIVE_INFINITY });
    running.child.stdin?.end(); // nobody answers its questions
    await running;
  } catch (error) {
    // What counts is where the file is, as in pi: a `trash` may fail at something else afterwards.
    if (await look(path)) return firstLine(error);
  }
  return (await look(path)) ? "it said nothing, but the file is where it was" : undefined;
}

function firstLine(error: unknown): string {
  const { stderr = "", message = String(error) } = error as { stderr?: string; message?: string };
  return (stderr.trim() || message).split("\n")[0]?.slice(0, 200) ?? "";
}

async function moveWithoutCommand(
  path: string,
  environment: Environment,
  platform: NodeJS.Platform,
): Promise<Trashed> {
  if (platform === "win32") throw new Error(NO_TRASH);
  if (platform === "darwin") return { to: "macOS trash", trashPath: await moveIntoFolder(path, environment) };
  return { to: "freedesktop trash", trashPath: await freedesktopTrash(path, environment) };
}

/** macOS's trash. Its notes are the Finder's own, which only that reads: pidex keeps others of what it puts there. */
export function macTrash(environment: Environment): TrashPlace {
  const home = homeFolder(environment);
  const notes = join(home, "Library", "Application Support", "pidex", "trash");
  return { notes, files: join(home, ".Trash") };
}

/** Notes where a file was that the `trash` command took, if it is in macOS's trash by its own name. @returns where it is */
async function notedIfThere(
  path: string,
  ino: bigint,
  environment: Environment,
): Promise<string | undefined> {
  const trash = macTrash(environment);
  const trashPath = join(trash.files, basename(path));
  try {
    if ((await lstat(trashPath, { bigint: true })).ino !== ino) return undefined;
    await writeNote(trash, trashPath, path, ino);
    return trashPath;
  } catch {
    return undefined; // macOS keeps terminals out of the trash unless they are let in: the file is in there all the same
  }
}

/** Moves into macOS's `~/.Trash`, which is a folder without notes, under a name that is free there. */
async function moveIntoFolder(path: string, environment: Environment): Promise<string> {
  const trash = macTrash(environment);
  const folder = trash.files;
  const { ino } = await lstat(fsPath(path), { bigint: true });
  const isFolder = (await lstat(fsPath(path))).isDirectory();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n++) {
    const target = join(folder, spareName(basename(path), n));
    // A placeholder first, which the move then replaces: nothing that lies there already can be overwritten.
    try {
      if (isFolder) await mkdir(fsPath(target));
      else await (await open(fsPath(target), "wx")).close();
    } catch (error) {
      if (systemCode(error) === "EEXIST") continue;
      throw error;
    }
    try {
      const note = await writeNote(trash, target, path, ino).catch(() => undefined); // without one it goes all the same
      await rename(fsPath(path), fsPath(target)).catch(async (error) => {
        if (note !== undefined) await rm(note, { force: true });
        throw error;
      });
      return target;
    } catch (error) {
      await rm(fsPath(target), { recursive: true }); // the placeholder, which is empty
      throw error;
    }
  }
}
