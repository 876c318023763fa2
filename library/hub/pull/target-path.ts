import { createHash } from "node:crypto";
import { join } from "node:path";
import { toMachinePath } from "../../../src/machine-path.ts";
import { detectAgent, detectProfile } from "../../../src/session/agents.ts";
import { isSessionFileName, toProjectFolderName } from "../../../src/session/locations.ts";
import { toMachineFolder } from "../../../src/session/pulled-sessions.ts";

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
 * The path of a pulled session, relative to the folder of pulled sessions: the folder of the machine and agent, pi's folder for the working
 * directory, and the path below that. Names that not every file system has are changed.
 *
 * @example "laptop/--home-ada-shop--/2026-11-02T09-00-00-000Z_019a….jsonl"
 */
export function toTargetPath(file: MachineFile): string {
  const below = getNamesBelow(file);
  const hubPath = toMachinePath(file.machine, file.path);
  const agent = { agent: detectAgent(hubPath) ?? "pi", profile: detectProfile(hubPath) };
  const folder = toSafeName(toMachineFolder(file.machine, agent));
  const path = join(folder, ...below.map(toSafeName));
  if (path.length <= MAX_PATH_LENGTH && isSessionFileName(path)) return path;
  return join(folder, "sessions", `${hash(file.path)}.jsonl`);
}

/** Another path for a file, if an earlier one has its path: the names differ also where case does not count. */
export function toOtherTargetPath(file: MachineFile): string {
  return toTargetPath(file).replace(/(?=\.jsonl(?:\.reset\.[^/\\]*)?$)/, `~${hash(file.path)}`);
}

/** What is equal for paths that some file systems do not tell apart. */
export function toPathKey(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/**
 * The session folder of an agent. Its folders are kept, because they tell subagents' sessions, and so is prime-agent's folder of child
 * sessions.
 */
const SESSION_FOLDER =
  /[/\\]\.[^/\\]+[/\\](?:(?:profiles|agents)[/\\][^/\\]+[/\\])?(?:agent[/\\])?(?:sessions[/\\]|(?=session-artifacts[/\\]))/;

/** The folder for the working directory, and what follows. */
function getNamesBelow({ path, cwd }: MachineFile): string[] {
  const names = toNames(path);
  const project = names.findIndex((name, n) => n < names.length - 1 && /^--.*--$/.test(name));
  if (project !== -1) return names.slice(project);
  const { 0: folder, index } = SESSION_FOLDER.exec(path) ?? { 0: path, index: 0 };
  const below = toNames(path.slice(index + folder.length));
  return below.length > 1 ? below : [toFolderName(cwd ?? ""), ...names.slice(-1)];
}

function toNames(path: string): string[] {
  return path.split(/[/\\]/).filter((name) => name !== "" && name !== "." && name !== "..");
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
