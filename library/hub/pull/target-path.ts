import { createHash } from "node:crypto";
import { join } from "node:path";
import { isSessionFileName, toProjectFolderName } from "../../../src/session/locations.ts";

/** Longest name of a file or folder, in bytes. File systems allow 255. */
const MAX_NAME_BYTES = 200;

/** Longest path below the folder of pulled sessions, in UTF-16 units. */
const MAX_PATH_LENGTH = 600;

/** A file of another machine. */
interface MachineFile {
  machine: string;
  /** On that machine. */
  path: string;
  cwd: string | null;
}

/**
 * The path of a pulled session, relative to the folder of pulled sessions: the machine, pi's folder for the working directory, and the
 * path below that. Names that not every file system has are changed.
 *
 * @example "laptop/--home-ada-shop--/2026-11-02T09-00-00-000Z_019a….jsonl"
 */
export function toTargetPath(file: MachineFile): string {
  const names = file.path.split(/[/\\]/).filter((name) => name !== "" && name !== "." && name !== "..");
  const project = names.findIndex((name, n) => n < names.length - 1 && /^--.*--$/.test(name));
  const below = project === -1 ? [toFolderName(file.cwd ?? ""), ...names.slice(-1)] : names.slice(project);
  const path = join(file.machine, ...below.map(toSafeName));
  if (path.length <= MAX_PATH_LENGTH && isSessionFileName(path)) return path;
  return join(file.machine, "sessions", `${hash(file.path)}.jsonl`);
}

/** Another path for a file, if an earlier one has its path: the names differ also where case does not count. */
export function toOtherTargetPath(file: MachineFile): string {
  return toTargetPath(file).replace(/(?=\.jsonl(?:\.reset\.[^/\\]*)?$)/, `~${hash(file.path)}`);
}

/** What is equal for paths that some file systems do not tell apart. */
export function toPathKey(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function toFolderName(cwd: string): string {
  // `toProjectFolderName` would resolve a relative path on this machine.
  return /^(?:[/\\]|[A-Za-z]:)/.test(cwd) ? toProjectFolderName(cwd) : "sessions";
}

/** Names of devices on Windows. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function toSafeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the point
  const safe = name.replace(/[\x00-\x1f\x7f<>:"|?*]/g, "_").replace(/[. ]+$/, "_");
  const allowed = RESERVED.test(safe) ? `_${safe}` : safe;
  if (Buffer.byteLength(allowed) <= MAX_NAME_BYTES) return allowed;
  const [, end = ""] = /(\.jsonl(?:\.reset\..*)?)$/.exec(allowed) ?? [];
  return `${[...allowed].slice(0, 30).join("")}~${hash(name)}${end}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
