import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { PidexError, systemCode } from "../errors.ts";
import { homeFolder, workingFolder } from "../surroundings.ts";
import { firstSentence, isRecord } from "./json.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A place to look for sessions: every file below `folder` whose path starts with `prefix`. */
export interface Root {
  folder: string;
  prefix: string;
  /** Only the files exactly this many folders below `folder` belong to it; without it all, however deep. */
  depth?: number;
  /** The root that this is a part of: by it is told whose session a file is, so that both tell the same. */
  partOf?: Root;
}

/** The root that is a whole folder. `~` and `file://` are understood. */
export function rootAt(folder: string): Root {
  const path = expandPath(folder);
  return { folder: path, prefix: path.endsWith(sep) ? path : path + sep };
}

/** The root that is one level of a folder: 0 the files directly in it, 1 those directly in the folders in it. */
export function levelOf(folder: string, depth: number): Root {
  return { ...rootAt(folder), depth };
}

/** A root as a part of the innermost of those that are looked at as a rule, where it lies in any. */
export function within(root: Root, roots: readonly Root[]): Root {
  const partOf = nearestRoot(root.prefix, roots);
  return partOf ? { ...root, partOf } : root;
}

/** The innermost of the roots that a path lies in. */
export function nearestRoot(path: string, roots: readonly Root[]): Root | undefined {
  return roots
    .filter((root) => isInRoot(path, root))
    .reduce<Root | undefined>(
      (near, root) => (near && near.prefix.length >= root.prefix.length ? near : root),
      undefined,
    );
}

/** Whether a file's path belongs to a root. */
export function isInRoot(path: string, { prefix, depth }: Root): boolean {
  if (!path.startsWith(prefix)) return false;
  return depth === undefined || path.slice(prefix.length).split(sep).length === depth + 1;
}

/**
 * A path as a user may give it: `~` and `file://` are understood, the rest is resolved against the cwd. A Windows
 * path stays as it is on other systems: sessions may have come from there.
 *
 * @throws PidexError `BAD_OPTION` for the URL of no file, `NO_HOME`, `FOLDER_GONE`
 */
export function expandPath(path: string, environment: Environment = process.env): string {
  if (path.startsWith("file://")) return fromUrl(path);
  if (path === "~") return homeFolder(environment);
  if (path.startsWith("~/") || path.startsWith("~\\")) return join(homeFolder(environment), path.slice(2));
  if (sep === "/" && /^[A-Za-z]:[\\/]/.test(path)) return path;
  return isAbsolute(path) ? resolve(path) : resolve(workingFolder(), path);
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const hint = "Give a path, or a URL such as file:///home/ada/sessions.";
    throw new PidexError("BAD_OPTION", `${url} is not the URL of a local file`, hint, { cause });
  }
}

/**
 * The folders to look for sessions in: `$PIDEX_ROOTS`, separated like `$PATH`, else `defaultRoots`.
 *
 * @param onNotice told of a settings file that cannot be used
 */
export function usualRoots(onNotice?: (message: string) => void): Root[] {
  return usualPlaces(onNotice).map(({ root }) => root);
}

/** A root, and what named it: a variable, the path of a settings file, or `default`. */
export interface Place {
  root: Root;
  from: string;
}

/** The same as `usualRoots`, with what named each. */
export function usualPlaces(onNotice?: (message: string) => void): Place[] {
  const named = process.env.PIDEX_ROOTS;
  if (!named) return defaultPlaces(process.env, onNotice);
  const folders = named.split(delimiter).filter(Boolean);
  return folders.map((folder) => ({ root: rootAt(folder), from: "PIDEX_ROOTS" }));
}

/**
 * Where agents of the pi family keep sessions on this machine, whether the folders exist or not: pi's and
 * Atomic's, custom session folders (variable or settings), and what subagent extensions leave in the temporary
 * folder. Read from the environment at each call, as pi does.
 *
 * @param onNotice told of a settings file that cannot be used
 */
export function defaultRoots(
  environment: Environment = process.env,
  onNotice: (message: string) => void = () => {},
): Root[] {
  return defaultPlaces(environment, onNotice).map(({ root }) => root);
}

function defaultPlaces(environment: Environment, onNotice: (message: string) => void = () => {}): Place[] {
  const from = (variable: string) => (environment[variable] ? variable : "default");
  const piHome = expandPath(environment.PI_CODING_AGENT_DIR || "~/.pi/agent", environment);
  const atomicHome = expandPath(environment.ATOMIC_CODING_AGENT_DIR || "~/.atomic/agent", environment);
  const named: [folder: string, from: string][] = [
    [join(piHome, "sessions"), from("PI_CODING_AGENT_DIR")],
    [join(atomicHome, "sessions"), from("ATOMIC_CODING_AGENT_DIR")],
  ];
  if (environment.PI_CODING_AGENT_SESSION_DIR) {
    const folder = expandPath(environment.PI_CODING_AGENT_SESSION_DIR, environment);
    named.push([folder, "PI_CODING_AGENT_SESSION_DIR"]);
  }
  for (const settings of [...projectSettings(), join(piHome, "settings.json")]) {
    const folder = sessionDirSetting(settings, environment, onNotice);
    if (folder) named.push([folder, settings]);
  }
  const places = named
    .filter(([folder], n) => named.findIndex(([other]) => other === folder) === n)
    .map(([folder, from]) => ({ root: rootAt(folder), from }));
  const temporary = resolve(environment.TMPDIR || tmpdir());
  const subagents = { folder: temporary, prefix: join(temporary, TEMPORARY_RUN) };
  return [...places, { root: subagents, from: from("TMPDIR") }];
}

/** The settings of the project that the process runs in. A working directory that was deleted holds none. */
function projectSettings(): string[] {
  try {
    return [join(workingFolder(), ".pi", "settings.json")];
  } catch {
    return [];
  }
}

const TEMPORARY_RUN = "pi-subagent-session-";

/** Settings that are JSON, and yet say nothing that can be used. */
class UnusableSettings extends Error {}

/** The session folder a settings file names. A relative one means relative to the cwd, in every settings file. */
function sessionDirSetting(
  path: string,
  environment: Environment,
  onNotice: (message: string) => void,
): string | undefined {
  try {
    const settings: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(settings)) throw new UnusableSettings("they are no object");
    const { sessionDir } = settings;
    if (sessionDir === undefined) return undefined;
    if (typeof sessionDir !== "string" || sessionDir === "") throw new UnusableSettings("it is no path");
    return expandPath(sessionDir, environment);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") {
      onNotice(`${path} was not read for a sessionDir: ${reasonWithoutContent(error)}`);
    }
    return undefined;
  }
}

/** Why settings cannot be used, without a word of them: keys may stand in them too. */
function reasonWithoutContent(error: unknown): string {
  if (error instanceof SyntaxError) return `no JSON: ${firstSentence(error)}`;
  if (error instanceof PidexError && error.code === "BAD_OPTION") return "it is not the URL of a local file";
  return error instanceof Error ? error.message : String(error);
}

/**
 * The name of the folder pi keeps a project's sessions in. Lossy: `/a/b-c` and `/a/b/c` share one, so the
 * header's `cwd` is the truth.
 *
 * @example projectFolder("/home/ada/shop") === "--home-ada-shop--"
 */
export function projectFolder(cwd: string): string {
  return `--${expandPath(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;
}

/** True for the name of a file that may be a session: pi lists `*.jsonl`, dotfiles too, but not `*.JSONL`. */
export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl");
}

/**
 * Whether a session file belongs to a subagent rather than to a person: pi keeps sessions in a root or one
 * folder below it, subagents lie deeper, in `subagent-artifacts`, or in a run's temporary folder.
 */
export function isSubagentPath(path: string, root: Root): boolean {
  const { prefix } = root.partOf ?? root;
  if (!prefix.endsWith(sep)) return true;
  const folders = path.slice(prefix.length).split(sep).slice(0, -1);
  return folders.length > 1 || folders.includes("subagent-artifacts");
}
