/** The folders that are looked at where no option names others: what variables, settings and the home folder tell. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { PidexError, systemCode } from "../errors.ts";
import { workingFolder } from "../surroundings.ts";
import { type AgentFolder, chooseFolders, findAgentFolders, type LeftOut } from "./agent-roots.ts";
import { firstSentence, isRecord } from "./json.ts";
import { type Environment, expandPath, type Root, rootAt } from "./locations.ts";

/**
 * The folders to look for sessions in: `$PIDEX_ROOTS`, separated like `$PATH`, else `defaultRoots`.
 *
 * @param onNotice told of a settings file that cannot be used
 */
export function usualRoots(onNotice?: (message: string) => void): Root[] {
  return usualPlaces(onNotice).places.map(({ root }) => root);
}

/**
 * A root, whose it is, and what named it: a variable, the path of a settings file, `default`, or `found` where only the
 * folder itself tells that an agent is here.
 */
export interface Place {
  root: Root;
  from: string;
  agent?: string;
}

/** The roots, and the folders of sessions that are none, with the reason. */
export interface Places {
  places: Place[];
  leftOut: LeftOut[];
}

/** The same as `usualRoots`, with what named each, and what is left out. */
export function usualPlaces(onNotice?: (message: string) => void): Places {
  const named = process.env.PIDEX_ROOTS;
  if (!named) return defaultPlaces(process.env, onNotice);
  const folders = named.split(delimiter).filter(Boolean);
  return { places: folders.map((folder) => ({ root: rootAt(folder), from: "PIDEX_ROOTS" })), leftOut: [] };
}

/**
 * Where agents of the pi family keep sessions on this machine: pi's and Atomic's, whether the folders exist or not, custom
 * session folders (variable or settings), those of other agents that are here, and what subagent extensions leave in the
 * temporary folder. None is there twice, by another name or through a link, nor what `$PIDEX_EXCLUDE` names. Read from the
 * environment at each call, as pi does.
 *
 * @param onNotice told of a settings file that cannot be used
 */
export function defaultRoots(
  environment: Environment = process.env,
  onNotice: (message: string) => void = () => {},
): Root[] {
  return defaultPlaces(environment, onNotice).places.map(({ root }) => root);
}

function defaultPlaces(environment: Environment, onNotice: (message: string) => void = () => {}): Places {
  const from = (variable: string) => (environment[variable] ? variable : "default");
  const piHome = expandPath(environment.PI_CODING_AGENT_DIR || "~/.pi/agent", environment);
  const atomicHome = expandPath(environment.ATOMIC_CODING_AGENT_DIR || "~/.atomic/agent", environment);
  const named: AgentFolder[] = [
    { folder: join(piHome, "sessions"), from: from("PI_CODING_AGENT_DIR"), agent: "pi" },
    { folder: join(atomicHome, "sessions"), from: from("ATOMIC_CODING_AGENT_DIR"), agent: "atomic" },
  ];
  if (environment.PI_CODING_AGENT_SESSION_DIR) {
    const folder = expandPath(environment.PI_CODING_AGENT_SESSION_DIR, environment);
    named.push({ folder, from: "PI_CODING_AGENT_SESSION_DIR" });
  }
  for (const settings of [...projectSettings(), join(piHome, "settings.json")]) {
    const folder = sessionDirSetting(settings, environment, onNotice);
    if (folder) named.push({ folder, from: settings });
  }
  const excluded = (environment.PIDEX_EXCLUDE ?? "").split(delimiter).filter(Boolean);
  const { kept, leftOut } = chooseFolders(
    [...named, ...findAgentFolders(environment)],
    excluded.map((path) => expandPath(path, environment)),
  );
  const temporary = resolve(environment.TMPDIR || tmpdir());
  const subagents = { folder: temporary, prefix: join(temporary, TEMPORARY_RUN) };
  const places: Place[] = kept.map(({ folder, ...place }) => ({ root: rootAt(folder), ...place }));
  return { places: [...places, { root: subagents, from: from("TMPDIR"), agent: "pi" }], leftOut };
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
    if (!statSync(path, { throwIfNoEntry: false })) return undefined; // as a rule, and cheaper to be told than to catch
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
