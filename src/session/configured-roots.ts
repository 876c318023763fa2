/** The roots used without an explicit option: from environment variables, settings files and the home folder. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Environment, getWorkingFolder } from "../environment.ts";
import { PidexError, systemCode, toMessage } from "../errors.ts";
import { type AgentFolder, chooseFolders, findAgentFolders, type SkippedFolder } from "./agent-roots.ts";
import { describeJsonError, isRecord } from "./json.ts";
import { expandPath, type Root, toRoot } from "./locations.ts";
import { findMachineFolders } from "./pulled-sessions.ts";

/**
 * The roots to search for sessions: `$PIDEX_ROOTS`, separated like `$PATH`, else those of `findDefaultRoots`.
 *
 * @param onNotice called for each unusable settings file
 */
export function configuredRoots(onNotice?: (message: string) => void, environment?: Environment): Root[] {
  return findConfiguredRoots(onNotice, environment).roots.map(({ root }) => root);
}

/**
 * A root, its agent, and its source: an environment variable, the path of a settings file, `default`, `found` for a folder
 * that pidex found by itself, or `pulled` for the sessions of another machine.
 */
export interface ConfiguredRoot {
  root: Root;
  source: string;
  agent?: string;
}

/** The roots, and the session folders that are not searched. */
export interface ConfiguredRoots {
  roots: ConfiguredRoot[];
  skippedFolders: SkippedFolder[];
}

/** The same roots as `configuredRoots`, with their sources and the folders that are not searched. */
export function findConfiguredRoots(
  onNotice: (message: string) => void = () => {},
  environment: Environment = process.env,
): ConfiguredRoots {
  const named = environment.PIDEX_ROOTS;
  if (!named) return findDefaultRoots(environment, onNotice);
  const folders = named.split(delimiter).filter(Boolean);
  return {
    roots: folders.map((folder) => ({ root: toRoot(folder), source: "PIDEX_ROOTS" })),
    skippedFolders: [],
  };
}

/**
 * The session folders of the pi family on this machine: pi's and Atomic's, even if they do not exist yet; custom session folders
 * from a variable or settings; those of other installed agents; sessions pulled from other machines; and the temporary files of
 * subagent extensions. Each real folder occurs once; `$PIDEX_EXCLUDE` is excluded. The environment is read at each call, as in pi.
 */
function findDefaultRoots(environment: Environment, onNotice: (message: string) => void): ConfiguredRoots {
  const from = (variable: string) => (environment[variable] ? variable : "default");
  const piHome = expandPath(environment.PI_CODING_AGENT_DIR || "~/.pi/agent", environment);
  const atomicHome = expandPath(environment.ATOMIC_CODING_AGENT_DIR || "~/.atomic/agent", environment);
  const named: AgentFolder[] = [
    { folder: join(piHome, "sessions"), source: from("PI_CODING_AGENT_DIR"), agent: "pi" },
    { folder: join(atomicHome, "sessions"), source: from("ATOMIC_CODING_AGENT_DIR"), agent: "atomic" },
  ];
  if (environment.PI_CODING_AGENT_SESSION_DIR) {
    const folder = expandPath(environment.PI_CODING_AGENT_SESSION_DIR, environment);
    named.push({ folder, source: "PI_CODING_AGENT_SESSION_DIR" });
  }
  for (const settings of [...getProjectSettings(), join(piHome, "settings.json")]) {
    const folder = readSessionDir(settings, environment, onNotice);
    if (folder) named.push({ folder, source: settings });
  }
  const excluded = (environment.PIDEX_EXCLUDE ?? "").split(delimiter).filter(Boolean);
  const { kept, skippedFolders } = chooseFolders(
    [
      ...named,
      ...findAgentFolders(environment),
      ...findMachineFolders(environment).map((folder) => ({ folder, source: "pulled" })),
    ],
    excluded.map((path) => expandPath(path, environment)),
  );
  const temporary = resolve(environment.TMPDIR || tmpdir());
  const subagents = { folder: temporary, prefix: join(temporary, TEMPORARY_PREFIX) };
  const places: ConfiguredRoot[] = kept.map(({ folder, ...place }) => ({ root: toRoot(folder), ...place }));
  return { roots: [...places, { root: subagents, source: from("TMPDIR"), agent: "pi" }], skippedFolders };
}

/** The settings file of the current project; none if the working directory was deleted. */
function getProjectSettings(): string[] {
  try {
    return [join(getWorkingFolder(), ".pi", "settings.json")];
  } catch {
    return [];
  }
}

const TEMPORARY_PREFIX = "pi-subagent-session-";

/** A settings file that is JSON, but not usable. */
class UnusableSettings extends Error {}

/** The session folder in a settings file. A relative path is relative to the cwd, whatever the settings file. */
function readSessionDir(
  path: string,
  environment: Environment,
  onNotice: (message: string) => void,
): string | undefined {
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return undefined; // the usual case; throwing is slower
    const settings: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(settings)) throw new UnusableSettings("not a JSON object");
    const { sessionDir } = settings;
    if (sessionDir === undefined) return undefined;
    if (typeof sessionDir !== "string" || sessionDir === "")
      throw new UnusableSettings("sessionDir is not a path");
    return expandPath(sessionDir, environment);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") {
      onNotice(`ignored sessionDir in ${path}: ${reasonWithoutContent(error)}`);
    }
    return undefined;
  }
}

/** The reason why settings cannot be used, without their content, which may include API keys. */
function reasonWithoutContent(error: unknown): string {
  if (error instanceof SyntaxError) return `invalid JSON: ${describeJsonError(error)}`;
  if (error instanceof PidexError && error.code === "BAD_OPTION") return "not the URL of a local file";
  return toMessage(error);
}
