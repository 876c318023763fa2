/**
 * The sessions of the user's other machines, as `pidex pull` stores them: a folder for each machine and agent, named `laptop` for pi,
 * `laptop@atomic` for other agents, and `laptop@omp@work` for a profile of oh-my-pi.
 */
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { type Environment, findHome, getDataFolder } from "../environment.ts";
import { systemCode } from "../errors.ts";
import { MACHINE_NAME } from "../machine-path.ts";

/** An agent, and its profile if it has several. */
export interface AgentProfile {
  agent: string;
  profile?: string | undefined;
}

/**
 * The folder with a folder for each machine and agent.
 *
 * @throws PidexError `NO_HOME`
 */
export function getMachinesFolder(environment: Environment = process.env): string {
  return join(getDataFolder(environment, process.platform), "machines");
}

/** The folders with sessions that were pulled from other machines. None if they cannot be listed. */
export function findMachineFolders(environment: Environment): string[] {
  const folder = findMachinesFolder(environment);
  if (folder === undefined) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) =>
      entry.isDirectory() && parseMachineFolder(entry.name) ? [join(folder, entry.name)] : [],
    );
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

/** The name of the folder for a machine's sessions of an agent. Those of unknown agents are with pi's. */
export function toMachineFolder(machine: string, { agent, profile }: AgentProfile): string {
  if (agent === "pi") return machine;
  return [machine, agent, ...(profile === undefined ? [] : [profile])].join("@");
}

/** The agent of a file that was pulled to this machine; undefined for other files. */
export function findPulledAgent(path: string, environment: Environment): AgentProfile | undefined {
  const folder = findMachinesFolder(environment);
  if (folder === undefined || !path.startsWith(folder + sep)) return undefined;
  return parseMachineFolder(path.slice(folder.length + 1).split(sep, 1)[0] ?? "");
}

/** The same for a path on another machine, relative to the home folder there. */
export function findPulledAgentInHome(inHome: string): AgentProfile | undefined {
  const [, name] = DEFAULT_FOLDER.exec(inHome) ?? [];
  return name === undefined ? undefined : parseMachineFolder(name);
}

/** The default data folder of each system, and the folder of a machine in it. */
const DEFAULT_FOLDER =
  /^(?:\.local[/\\]share|Library[/\\]Application Support|AppData[/\\]Local)[/\\]pidex[/\\]machines[/\\]([^/\\]+)[/\\]/;

function parseMachineFolder(name: string): AgentProfile | undefined {
  const [machine = "", agent = "pi", ...profile] = name.split("@");
  if (!MACHINE_NAME.test(machine)) return undefined;
  return profile.length === 0 ? { agent } : { agent, profile: profile.join("@") };
}

function findMachinesFolder(environment: Environment): string | undefined {
  if (!environment.XDG_DATA_HOME && findHome(environment) === undefined) return undefined;
  return getMachinesFolder(environment);
}
