/** The agents of the pi family: where each keeps sessions, and which one a session file is from. */
import { join } from "node:path";
import { PidexError } from "../errors.ts";
import { realPathSoFar } from "../path-bytes.ts";
import { findHome } from "../surroundings.ts";
import { type Environment, expandPath } from "./locations.ts";

/** An agent that pidex knows by name. Others are known by the folder in the home folder: `~/.NAME/agent/sessions`. */
export interface KnownAgent {
  /** What its command is called, and what `agent` is in answers. */
  name: string;
  /** Folders in the home folder that are this agent's, without the dot. */
  homes: readonly string[];
  /** Variables that name a folder of it, and the folders of sessions in that. `*` is any one folder. */
  variables: Readonly<Record<string, readonly string[]>>;
  /** Folders of sessions, relative to each of its folders in the home folder. */
  folders: readonly string[];
  /** Variables of which each takes the place of the folders in the home folder. */
  movedBy: readonly string[];
}

const SESSIONS = ["sessions"] as const;
const PRIME = ["sessions", "session-artifacts"] as const;

/**
 * In the order in which they are looked for: where two name one folder, it is the first one's. pi's and Atomic's variables are
 * read in `usual-roots.ts`, since these two are looked at whether their folders exist or not.
 */
export const AGENTS: readonly KnownAgent[] = [
  {
    name: "pi",
    homes: ["pi"],
    variables: {},
    folders: ["agent/sessions"],
    movedBy: ["PI_CODING_AGENT_DIR"],
  },
  {
    name: "atomic",
    homes: ["atomic"],
    variables: {},
    folders: ["agent/sessions"],
    movedBy: ["ATOMIC_CODING_AGENT_DIR"],
  },
  {
    name: "omp",
    homes: ["omp"],
    // With XDG_DATA_HOME its folder is `omp`, without `agent`, once it was made.
    variables: { XDG_DATA_HOME: ["omp/sessions", "omp/profiles/*/sessions"] },
    folders: ["agent/sessions", "profiles/*/agent/sessions"],
    movedBy: [],
  },
  {
    name: "prime-agent",
    homes: ["prime"],
    variables: {
      PRIME_AGENT_CODING_AGENT_DIR: PRIME,
      PRIME_AGENT_SESSION_DIR: [".", "../session-artifacts"],
      PRIME_AGENT_CODING_AGENT_SESSION_DIR: [".", "../session-artifacts"],
    },
    folders: PRIME.map((folder) => `agent/${folder}`),
    movedBy: ["PRIME_AGENT_CODING_AGENT_DIR"],
  },
  {
    name: "openclaw",
    homes: ["openclaw", "clawdbot", "moltbot", "moldbot"],
    variables: { OPENCLAW_STATE_DIR: ["agents/*/sessions"], CLAWDBOT_STATE_DIR: ["agents/*/sessions"] },
    folders: ["agents/*/sessions"],
    movedBy: ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"],
  },
  {
    name: "gsd",
    homes: ["gsd"],
    variables: { GSD_HOME: [...SESSIONS, "agent/sessions"] },
    folders: [...SESSIONS, "agent/sessions"],
    movedBy: ["GSD_HOME"],
  },
];

/** What lies behind `.NAME/` in an agent's folder: `agent/`, `profiles/P/agent/`, `agents/A/sessions/` or `sessions/`. */
const BELOW_NAME =
  /^(?:(?:profiles[/\\]([^/\\]+)[/\\])?agent[/\\]|(?:agents[/\\][^/\\]+[/\\])?sessions[/\\])/;

/** A hidden folder that may be an agent's, and what lies below it. */
const HIDDEN = /^\.([^/\\]+)[/\\](.*)$/s;

/**
 * The name of the agent that wrote a session file, from its path: the agent's folder in the user's home folder, else a
 * variable that names an agent's folder, else the folder of a known agent elsewhere, such as another home folder. Only
 * folders directly in the home folder name agents that pidex doesn't know: `.NAME/agent` deeper in a path may come with
 * an archive from somebody else.
 */
export function agentOf(path: string, environment: Environment = process.env): string | undefined {
  const inHome = belowHome(path, environment);
  if (inHome !== undefined && isInConfigDir(inHome, environment)) return "omp";
  const [, name, below = ""] = HIDDEN.exec(inHome ?? "") ?? [];
  if (name !== undefined) {
    const known = BELOW_NAME.test(below) && AGENTS.find(({ homes }) => homes.includes(name))?.name;
    if (known) return known;
    if (/^agent[/\\]sessions[/\\]/.test(below)) return name;
  }
  return agentByVariable(path, environment) ?? agentElsewhere(path)?.agent;
}

/** The profile of oh-my-pi that a session file belongs to; undefined for the default one. */
export function profileOf(path: string, environment: Environment = process.env): string | undefined {
  const inHome = belowHome(path, environment);
  if (inHome !== undefined && isInConfigDir(inHome, environment)) {
    return /[/\\]profiles[/\\]([^/\\]+)[/\\]agent[/\\]/.exec(
      inHome.slice(configDir(environment).length),
    )?.[1];
  }
  const elsewhere = agentElsewhere(inHome === undefined ? path : `/${inHome}`);
  if (elsewhere) return elsewhere.profile;
  return /[/\\]omp[/\\]profiles[/\\]([^/\\]+)[/\\]sessions[/\\]/.exec(path)?.[1];
}

/** oh-my-pi's folder by `PI_CONFIG_DIR`, relative to the home folder; empty where the variable is not set. */
export function configDir({ PI_CONFIG_DIR }: Environment): string {
  return PI_CONFIG_DIR ? join(PI_CONFIG_DIR).replace(/[/\\]+$/, "") : "";
}

function isInConfigDir(inHome: string, environment: Environment): boolean {
  const folder = configDir(environment);
  return folder !== "" && inHome.startsWith(folder) && BELOW_NAME.test(inHome.slice(folder.length + 1));
}

/** The known agent whose folder comes first in a path, wherever that folder lies, and its profile. */
function agentElsewhere(path: string): { agent: string; profile: string | undefined } | undefined {
  for (const { 0: start, index, groups } of path.matchAll(KNOWN)) {
    const below = BELOW_NAME.exec(path.slice(index + start.length + 1));
    const known = AGENTS.find(({ homes }) => homes.includes(groups?.name ?? ""));
    if (below && known) return { agent: known.name, profile: below[1] };
  }
  return undefined;
}

const KNOWN = new RegExp(
  `[/\\\\]\\.(?<name>${AGENTS.flatMap(({ homes }) => homes).join("|")})(?=[/\\\\])`,
  "g",
);

/** A path relative to the home folder, which may be a link; undefined where it lies elsewhere. */
function belowHome(path: string, environment: Environment): string | undefined {
  const home = findHome(environment);
  if (home === undefined) return undefined;
  const names = [home, realHome(home)].map((name) => name.replace(/[/\\]+$/, ""));
  const name = names.find((each) => path.startsWith(each) && /[/\\]/.test(path[each.length] ?? ""));
  return name === undefined ? undefined : path.slice(name.length + 1);
}

/** The home folder without links. It is looked up once, since every session of a list is asked for its agent. */
function realHome(home: string): string {
  if (lastHome.home === home) return lastHome.real;
  const real = realPathSoFar(home) ?? home;
  lastHome = { home, real };
  return real;
}

let lastHome = { home: "", real: "" };

function agentByVariable(path: string, environment: Environment): string | undefined {
  for (const { variable, folders, agent } of MOVABLE) {
    const named = environment[variable];
    if (!named) continue;
    const folder = folderNamed(named, environment);
    if (folder === undefined) continue;
    const holders = folders.map((inner) => join(folder, inner.split("*")[0] as string, "/"));
    const holder = holders.find((each) => path.startsWith(each));
    // oh-my-pi reads pi's variable too: the folder that it names may say so.
    if (holder !== undefined) return agentElsewhere(holder)?.agent ?? agent;
  }
  return undefined;
}

/** The folder that a variable names; undefined for what is no path, of which whoever looks for sessions there tells. */
function folderNamed(named: string, environment: Environment): string | undefined {
  try {
    return expandPath(named, environment);
  } catch (error) {
    if (error instanceof PidexError) return undefined;
    throw error;
  }
}

const MOVABLE = [
  { variable: "PI_CODING_AGENT_DIR", folders: SESSIONS, agent: "pi" },
  { variable: "PI_CODING_AGENT_SESSION_DIR", folders: ["."], agent: "pi" },
  { variable: "ATOMIC_CODING_AGENT_DIR", folders: SESSIONS, agent: "atomic" },
  ...AGENTS.flatMap(({ name, variables }) =>
    Object.entries(variables).map(([variable, folders]) => ({ variable, folders, agent: name })),
  ),
];
