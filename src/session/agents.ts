/** The agents of the pi family: where each keeps its sessions, and which one wrote a session file. */
import { join } from "node:path";
import { type Environment, findHome } from "../environment.ts";
import { PidexError } from "../errors.ts";
import { isMachinePath } from "../machine-path.ts";
import { resolveExistingLinks } from "../path-bytes.ts";
import { expandPath } from "./locations.ts";
import { findPulledAgent, findPulledAgentInHome } from "./pulled-sessions.ts";

/** An agent that pidex knows by name. Others are named after their folder in the home folder: `~/.NAME/agent/sessions`. */
export interface KnownAgent {
  /** The name of its command, and the value of `agent` in results. */
  name: string;
  /** Its folders in the home folder, without the dot. */
  homeFolders: readonly string[];
  /** Environment variables that name one of its folders, and the session folders in it. `*` matches one folder name. */
  variables: Readonly<Record<string, readonly string[]>>;
  /** Session folders, relative to each of `homeFolders`. */
  folders: readonly string[];
  /** Environment variables that each replace the folders in the home folder. */
  overridingVariables: readonly string[];
}

const SESSIONS = ["sessions"] as const;
const PRIME = ["sessions", "session-artifacts"] as const;

/**
 * In search order: a folder that two agents name belongs to the first. pi's and Atomic's variables are read in
 * `configured-roots.ts`, because their folders are roots even if they do not exist yet.
 */
export const AGENTS: readonly KnownAgent[] = [
  {
    name: "pi",
    homeFolders: ["pi"],
    variables: {},
    folders: ["agent/sessions"],
    overridingVariables: ["PI_CODING_AGENT_DIR"],
  },
  {
    name: "atomic",
    homeFolders: ["atomic"],
    variables: {},
    folders: ["agent/sessions"],
    overridingVariables: ["ATOMIC_CODING_AGENT_DIR"],
  },
  {
    name: "omp",
    homeFolders: ["omp"],
    // In XDG_DATA_HOME its folder, if it exists, is `omp`, without `agent`.
    variables: { XDG_DATA_HOME: ["omp/sessions", "omp/profiles/*/sessions"] },
    folders: ["agent/sessions", "profiles/*/agent/sessions"],
    overridingVariables: [],
  },
  {
    name: "prime-agent",
    homeFolders: ["prime"],
    variables: {
      PRIME_AGENT_CODING_AGENT_DIR: PRIME,
      PRIME_AGENT_SESSION_DIR: [".", "../session-artifacts"],
      PRIME_AGENT_CODING_AGENT_SESSION_DIR: [".", "../session-artifacts"],
    },
    folders: PRIME.map((folder) => `agent/${folder}`),
    overridingVariables: ["PRIME_AGENT_CODING_AGENT_DIR"],
  },
  {
    name: "openclaw",
    homeFolders: ["openclaw", "clawdbot", "moltbot", "moldbot"],
    variables: { OPENCLAW_STATE_DIR: ["agents/*/sessions"], CLAWDBOT_STATE_DIR: ["agents/*/sessions"] },
    folders: ["agents/*/sessions"],
    overridingVariables: ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"],
  },
  {
    name: "gsd",
    homeFolders: ["gsd"],
    variables: { GSD_HOME: [...SESSIONS, "agent/sessions"] },
    folders: [...SESSIONS, "agent/sessions"],
    overridingVariables: ["GSD_HOME"],
  },
];

/** The path after `.NAME/` in an agent's folder: `agent/`, `profiles/P/agent/`, `agents/A/sessions/` or `sessions/`. */
const AGENT_SUBFOLDER =
  /^(?:(?:profiles[/\\]([^/\\]+)[/\\])?agent[/\\]|(?:agents[/\\][^/\\]+[/\\])?sessions[/\\])/;

/** A hidden folder that may belong to an agent, and the rest of the path. */
const HIDDEN_FOLDER = /^\.([^/\\]+)[/\\](.*)$/s;

/**
 * The name of the agent that wrote a session file, from its path: by the agent's folder in the home folder, else by an
 * environment variable that names an agent's folder, else by a known agent's folder elsewhere, such as in another home
 * folder. Agents that pidex doesn't know are recognized directly in the home folder only: `.NAME/agent` deeper in a path may be
 * part of an unpacked archive. A pulled session has the agent that it has on its machine, and so has a path on another machine.
 */
export function detectAgent(path: string, environment: Environment = process.env): string | undefined {
  const inHome = toHomeRelative(path, environment);
  const pulled = detectPulled(path, inHome, environment);
  if (pulled) return pulled.agent;
  if (inHome !== undefined && isInConfigDir(inHome, environment)) return "omp";
  const [, name, below = ""] = HIDDEN_FOLDER.exec(inHome ?? "") ?? [];
  if (name !== undefined) {
    const known =
      AGENT_SUBFOLDER.test(below) && AGENTS.find(({ homeFolders }) => homeFolders.includes(name))?.name;
    if (known) return known;
    if (/^agent[/\\]sessions[/\\]/.test(below)) return name;
  }
  return findAgentByVariable(path, environment) ?? findAgentInPath(path)?.agent;
}

/** `detectAgent` for many paths: once per folder. */
export function agentDetector(): (path: string) => string | undefined {
  let environment: Environment = process.env;
  const agents = new Map<string, string | undefined>();
  return (path) => {
    const folder = path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
    if (!agents.has(folder)) {
      // Node asks the system for each variable that is read, which takes longer than a copy after the first folder.
      if (agents.size === 1) environment = { ...process.env };
      agents.set(folder, detectAgent(path, environment));
    }
    return agents.get(folder);
  };
}

/** The oh-my-pi profile of a session file; undefined for the default profile. */
export function detectProfile(path: string, environment: Environment = process.env): string | undefined {
  const inHome = toHomeRelative(path, environment);
  const pulled = detectPulled(path, inHome, environment);
  if (pulled) return pulled.profile;
  if (inHome !== undefined && isInConfigDir(inHome, environment)) {
    return /[/\\]profiles[/\\]([^/\\]+)[/\\]agent[/\\]/.exec(
      inHome.slice(getOmpConfigDir(environment).length),
    )?.[1];
  }
  const elsewhere = findAgentInPath(inHome === undefined ? path : `/${inHome}`);
  if (elsewhere) return elsewhere.profile;
  return /[/\\]omp[/\\]profiles[/\\]([^/\\]+)[/\\]sessions[/\\]/.exec(path)?.[1];
}

/** oh-my-pi's folder from `PI_CONFIG_DIR`, relative to the home folder; empty if the variable is not set. */
export function getOmpConfigDir({ PI_CONFIG_DIR }: Environment): string {
  return PI_CONFIG_DIR ? join(PI_CONFIG_DIR).replace(/[/\\]+$/, "") : "";
}

function isInConfigDir(inHome: string, environment: Environment): boolean {
  const folder = getOmpConfigDir(environment);
  return folder !== "" && inHome.startsWith(folder) && AGENT_SUBFOLDER.test(inHome.slice(folder.length + 1));
}

/** The known agent with the first agent folder in a path, wherever it is, and its profile. */
function findAgentInPath(path: string): { agent: string; profile: string | undefined } | undefined {
  for (const { 0: start, index, groups } of path.matchAll(KNOWN_FOLDER)) {
    const below = AGENT_SUBFOLDER.exec(path.slice(index + start.length + 1));
    const known = AGENTS.find(({ homeFolders }) => homeFolders.includes(groups?.name ?? ""));
    if (below && known) return { agent: known.name, profile: below[1] };
  }
  return undefined;
}

const KNOWN_FOLDER = new RegExp(
  `[/\\\\]\\.(?<name>${AGENTS.flatMap(({ homeFolders }) => homeFolders).join("|")})(?=[/\\\\])`,
  "g",
);

function detectPulled(path: string, inHome: string | undefined, environment: Environment) {
  if (!isMachinePath(path)) return findPulledAgent(path, environment);
  return inHome === undefined ? undefined : findPulledAgentInHome(inHome);
}

/** The usual home folders on another machine, where the user's environment is not known. */
const HOME_ELSEWHERE = /^[^:]+:(?:[A-Za-z]:)?[/\\](?:(?:home|Users)[/\\][^/\\]+|root)[/\\]/;

/** A path relative to the home folder, which may be a link; undefined for a path outside it. */
function toHomeRelative(path: string, environment: Environment): string | undefined {
  if (isMachinePath(path)) {
    const [home] = HOME_ELSEWHERE.exec(path) ?? [];
    return home === undefined ? undefined : path.slice(home.length);
  }
  const home = findHome(environment);
  if (home === undefined) return undefined;
  const names = [home, realHome(home)].map((name) => name.replace(/[/\\]+$/, ""));
  const name = names.find((each) => path.startsWith(each) && /[/\\]/.test(path[each.length] ?? ""));
  return name === undefined ? undefined : path.slice(name.length + 1);
}

/** The home folder with links resolved. Cached, because a list looks up the agent of every session. */
function realHome(home: string): string {
  if (lastHome.home === home) return lastHome.real;
  const real = resolveExistingLinks(home) ?? home;
  lastHome = { home, real };
  return real;
}

let lastHome = { home: "", real: "" };

function findAgentByVariable(path: string, environment: Environment): string | undefined {
  for (const { variable, folders, agent } of VARIABLES) {
    const named = environment[variable];
    if (!named) continue;
    const folder = toFolder(named, environment);
    if (folder === undefined) continue;
    const holders = folders.map((inner) => join(folder, inner.split("*")[0] as string, "/"));
    const holder = holders.find((each) => path.startsWith(each));
    // oh-my-pi reads pi's variable too, so an agent in the folder's path takes precedence.
    if (holder !== undefined) return findAgentInPath(holder)?.agent ?? agent;
  }
  return undefined;
}

/** The folder that a variable names; undefined if it is not a path, which the search for roots reports. */
function toFolder(named: string, environment: Environment): string | undefined {
  try {
    return expandPath(named, environment);
  } catch (error) {
    if (error instanceof PidexError) return undefined;
    throw error;
  }
}

const VARIABLES = [
  { variable: "PI_CODING_AGENT_DIR", folders: SESSIONS, agent: "pi" },
  { variable: "PI_CODING_AGENT_SESSION_DIR", folders: ["."], agent: "pi" },
  { variable: "ATOMIC_CODING_AGENT_DIR", folders: SESSIONS, agent: "atomic" },
  ...AGENTS.flatMap(({ name, variables }) =>
    Object.entries(variables).map(([variable, folders]) => ({ variable, folders, agent: name })),
  ),
];
