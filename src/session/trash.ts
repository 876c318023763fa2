/** Moves files to the trash of the desktop. */
import { execFile } from "node:child_process";
import { access, constants, lstat, mkdir, open, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Environment, getHomeFolder } from "../environment.ts";
import { PidexError, systemCode, toMessage } from "../errors.ts";
import { encodePath } from "../path-bytes.ts";
import { lstatIfExists, moveToFreedesktopTrash, toTrashName } from "./freedesktop-trash.ts";
import { type TrashFolders, writeNote } from "./trash-notes.ts";

export type TrashKind = "trash command" | "freedesktop trash" | "macOS trash";

/** The result of moving a file to the trash. */
export interface TrashResult {
  to: TrashKind;
  /** Its path in the trash; unknown if the `trash` command moved it. */
  trashPath?: string;
}

export interface TrashOptions {
  /** Default: `process.env`. */
  environment?: Environment;
  platform?: NodeJS.Platform;
}

/**
 * Moves a file or folder to the trash: with the `trash` command if it is on the PATH, as pi does, otherwise to the desktop's
 * trash (freedesktop.org's, or `~/.Trash` on macOS). Never copies or unlinks: on failure the file is unchanged.
 *
 * @throws PidexError `NOT_FOUND`, `TRASH_FAILED`
 */
export async function moveToTrash(path: string, options: TrashOptions = {}): Promise<TrashResult> {
  const { environment = process.env, platform = process.platform } = options;
  const whole = resolve(path);
  if (!(await lstatIfExists(whole)))
    throw new PidexError("NOT_FOUND", `file not found: ${whole}`, "Check the path.");
  // Command arguments are text, so a path that is not valid UTF-8 cannot be passed.
  const command =
    typeof encodePath(whole) === "string" ? await findTrashCommand(environment, platform) : undefined;
  const { ino } = await lstat(encodePath(whole), { bigint: true });
  const refusal = command && (await runTrashCommand(command, whole, environment));
  if (command && refusal === undefined) {
    const trashPath = platform === "darwin" ? await writeNoteIfFound(whole, ino, environment) : undefined;
    return { to: "trash command", ...(trashPath !== undefined && { trashPath }) };
  }
  try {
    return await moveWithoutCommand(whole, environment, platform);
  } catch (cause) {
    const reason = toMessage(cause);
    const both = refusal === undefined ? reason : `${reason} (and ${command}: ${refusal})`;
    throw new PidexError("TRASH_FAILED", `${whole} could not be moved to the trash: ${both}`, toHint(cause), {
      cause,
    });
  }
}

/**
 * The trash that `moveToTrash` would try first. Moves, creates and runs nothing.
 *
 * @throws PidexError `TRASH_FAILED` if there is none
 */
export async function detectTrash(options: TrashOptions = {}): Promise<TrashKind> {
  const { environment = process.env, platform = process.platform } = options;
  if (await findTrashCommand(environment, platform)) return "trash command";
  if (platform === "win32") throw new PidexError("TRASH_FAILED", NO_TRASH, HINT);
  return platform === "darwin" ? "macOS trash" : "freedesktop trash";
}

const NO_TRASH = "the Windows trash is not supported";
const HINT =
  "Install a `trash` command, or delete permanently: --permanent, or `permanent: true` in the library.";

function toHint(cause: unknown): string {
  if (systemCode(cause) !== "EXDEV") return HINT;
  return `The trash of its file system cannot be used. ${HINT}`;
}

/** The path of the executable `trash` command on the PATH, if any. */
async function findTrashCommand(
  { PATH = "" }: Environment,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const name = platform === "win32" ? "trash.exe" : "trash";
  // Relative entries of PATH are skipped: a `trash` in the current folder was not installed.
  for (const folder of PATH.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      if ((await lstat(path)).isDirectory()) continue;
      return path;
    } catch {
      // try the next folder
    }
  }
  return undefined;
}

const run = promisify(execFile);

/** @returns the reason if the file was not moved */
async function runTrashCommand(
  command: string,
  path: string,
  environment: Environment,
): Promise<string | undefined> {
  try {
    const running = run(command, [path], { env: { ...environment }, maxBuffer: Number.POSITIVE_INFINITY });
    running.child.stdin?.end(); // it must not wait for input
    await running;
  } catch (error) {
    // As in pi, success means that the file is gone: `trash` may fail at something else afterwards.
    if (await lstatIfExists(path)) return toFirstLine(error);
  }
  return (await lstatIfExists(path)) ? "it reported success, but the file was not moved" : undefined;
}

function toFirstLine(error: unknown): string {
  const { stderr = "", message = String(error) } = error as { stderr?: string; message?: string };
  return (stderr.trim() || message).split("\n")[0]?.slice(0, 200) ?? "";
}

async function moveWithoutCommand(
  path: string,
  environment: Environment,
  platform: NodeJS.Platform,
): Promise<TrashResult> {
  if (platform === "win32") throw new Error(NO_TRASH);
  if (platform === "darwin")
    return { to: "macOS trash", trashPath: await moveIntoMacTrash(path, environment) };
  return { to: "freedesktop trash", trashPath: await moveToFreedesktopTrash(path, environment) };
}

/** The macOS trash. Only the Finder can read its own records, so pidex writes notes for the files it moves there. */
export function getMacTrash(environment: Environment): TrashFolders {
  const home = getHomeFolder(environment);
  const notes = join(home, "Library", "Application Support", "pidex", "trash");
  return { notesFolder: notes, filesFolder: join(home, ".Trash") };
}

/** Writes a note for a file moved by the `trash` command, if it kept its name. @returns its path in the trash */
async function writeNoteIfFound(
  path: string,
  ino: bigint,
  environment: Environment,
): Promise<string | undefined> {
  const trash = getMacTrash(environment);
  const trashPath = join(trash.filesFolder, basename(path));
  try {
    if ((await lstat(trashPath, { bigint: true })).ino !== ino) return undefined;
    await writeNote(trash, trashPath, path, ino);
    return trashPath;
  } catch {
    return undefined; // macOS denies terminals access to the trash by default; the file was moved nevertheless
  }
}

/** Moves a file to macOS's `~/.Trash` under an unused name. @returns its path there */
async function moveIntoMacTrash(path: string, environment: Environment): Promise<string> {
  const trash = getMacTrash(environment);
  const folder = trash.filesFolder;
  const { ino } = await lstat(encodePath(path), { bigint: true });
  const isFolder = (await lstat(encodePath(path))).isDirectory();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n++) {
    const target = join(folder, toTrashName(basename(path), n));
    // The move replaces an empty placeholder, so it cannot overwrite a file.
    try {
      if (isFolder) await mkdir(encodePath(target));
      else await (await open(encodePath(target), "wx")).close();
    } catch (error) {
      if (systemCode(error) === "EEXIST") continue;
      throw error;
    }
    try {
      const note = await writeNote(trash, target, path, ino).catch(() => undefined); // a note is optional
      await rename(encodePath(path), encodePath(target)).catch(async (error) => {
        if (note !== undefined) await rm(note, { force: true });
        throw error;
      });
      return target;
    } catch (error) {
      await (isFolder ? rmdir(encodePath(target)) : unlink(encodePath(target))); // the empty placeholder
      throw error;
    }
  }
}
