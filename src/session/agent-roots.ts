/** The folders of sessions that agents left on this machine, found by looking. */
import { accessSync, constants, type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { systemCode } from "../errors.ts";
import { isAtOrBelow, realPath, realPathSoFar } from "../path-bytes.ts";
import { findHome } from "../surroundings.ts";
import { AGENTS, agentOf, configDir, type KnownAgent } from "./agents.ts";
import { type Environment, expandPath } from "./locations.ts";

/** A folder of sessions: whose it is, and the variable that named it, `default` or `found`. */
export interface AgentFolder {
  folder: string;
  agent?: string;
  from: string;
  /** The variable that says that the agent keeps its sessions elsewhere. */
  movedBy?: string;
  /** What the system said of a folder that could not be listed, so that agents may have been missed there. */
  unlistable?: string;
}

/** A folder of sessions that is not looked at, and why. */
export interface LeftOut {
  folder: string;
  agent?: string;
  why: "unreadable" | "not a folder" | "same folder" | "excluded";
  /** What the system said, the root that it is the same as, or the variable that leaves it out. */
  detail?: string;
}

/** How the disk is asked: a test counts it. Each throws the error of `fs`. */
export interface Disk {
  list(folder: string): readonly Dirent[];
  /** The folder's path without links; undefined where there is nothing. Throws where it is no folder that can be looked into. */
  enter(folder: string): string | undefined;
}

const DISK: Disk = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  enter(folder) {
    // Every sync asks for dozens of folders that are not there: an error costs ten times as much as the question.
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isDirectory()) throw new NotAFolder();
    accessSync(folder, constants.R_OK | constants.X_OK);
    return realPath(folder);
  },
};

class NotAFolder extends Error {}

/**
 * Finds the folders of sessions in the home folder and where variables name them, in a stable order. Costs one listing of
 * the home folder, and one question for each hidden folder in it; nothing else is walked.
 */
export function findAgentFolders(environment: Environment, disk: Disk = DISK): AgentFolder[] {
  const home = findHome(environment) ?? "";
  const { names: hidden, unlistable } = home ? hiddenFolders(home, disk) : NONE;
  const named = AGENTS.flatMap((agent) => namedFolders(agent, environment, disk));
  const known = AGENTS.flatMap((agent) => {
    const movedBy = agent.movedBy.find((variable) => environment[variable]);
    return (
      homesOf(agent, environment)
        // Where the home folder may be entered but not listed, known agents are looked for by name.
        .filter((name) => unlistable || hidden.has(name) || name === configDir(environment))
        .flatMap((name) => agent.folders.flatMap((folder) => expanded(join(home, name), folder, disk)))
        .map((folder) => ({ folder, agent: agent.name, from: "found", ...(movedBy && { movedBy }) }))
    );
  });
  const taken = new Set(AGENTS.flatMap((agent) => homesOf(agent, environment)));
  const others = [...hidden]
    .filter((name) => !taken.has(name))
    .map((name) => ({ folder: join(home, name, "agent", "sessions"), agent: name.slice(1), from: "found" }));
  const missed = unlistable ? [{ folder: home, from: "found", unlistable }] : [];
  return [...named, ...known, ...others, ...missed];
}

const NONE: { names: Set<string>; unlistable?: string } = { names: new Set() };

/** Names of the hidden folders in a home folder, links among them, sorted. */
function hiddenFolders(home: string, disk: Disk): typeof NONE {
  try {
    const entries = disk.list(home).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    const names = entries.map(({ name }) => name).filter((name) => /^\.[^.]/.test(name));
    return { names: new Set(names.sort()) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // What variables name is still there.
    return missing(error) ? NONE : { names: new Set(), unlistable: String((error as Error).message) };
  }
}

/** The hidden folders of an agent. oh-my-pi's may have another name by `PI_CONFIG_DIR`. */
function homesOf({ name, homes }: KnownAgent, environment: Environment): string[] {
  const own = homes.map((home) => `.${home}`);
  const moved = configDir(environment);
  return name === "omp" && moved && !own.includes(moved) ? [moved, ...own] : own;
}

function namedFolders(agent: KnownAgent, environment: Environment, disk: Disk): AgentFolder[] {
  return Object.entries(agent.variables).flatMap(([variable, folders]) => {
    const named = environment[variable];
    if (!named) return [];
    const base = expandPath(named, environment);
    // Other programs' folders lie in XDG_DATA_HOME too: that none of oh-my-pi's is there is as it should be.
    const from = variable.startsWith("XDG_") ? "found" : variable;
    return folders
      .flatMap((folder) => expanded(base, folder, disk))
      .map((folder) => ({ folder, agent: agent.name, from }));
  });
}

/** A folder below another, by a pattern with one `*` at most: as many folders as that stands for. */
function expanded(base: string, pattern: string, disk: Disk): string[] {
  const [before, after] = pattern.split("*");
  if (after === undefined) return [join(base, pattern)];
  const above = join(base, before as string);
  try {
    const folders = disk.list(above).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return folders.map(({ name }) => join(above, name, after)).sort();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return missing(error) ? [] : [above];
  }
}

function missing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error) ?? "");
}

/**
 * Sorts out which folders are looked at: each real folder once, by the first that names it, and none of the `excluded`. A
 * folder that was only looked for, and is not there, is neither kept nor told.
 */
export function chooseFolders(
  folders: readonly AgentFolder[],
  excluded: readonly string[],
  disk: Disk = DISK,
): { kept: AgentFolder[]; leftOut: LeftOut[] } {
  const kept: AgentFolder[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  const real = new Map<string, { at: number; folder: string }>();
  const isExcluded = exclusion(excluded);
  for (const each of folders) {
    const { folder, from } = each;
    if (seen.has(folder)) continue;
    seen.add(folder);
    const agent = each.agent ?? agentOf(folder + sep);
    const leave = (why: LeftOut["why"], detail?: string) =>
      leftOut.push({ folder, ...(agent && { agent }), why, ...(detail && { detail }) });
    const excludedBy = isExcluded(folder) ? "PIDEX_EXCLUDE" : each.movedBy;
    if (each.unlistable) {
      leave("unreadable", each.unlistable);
      continue;
    }
    if (excludedBy) {
      if (exists(folder, disk)) leave("excluded", excludedBy);
      continue;
    }
    try {
      const path = disk.enter(folder);
      if (path === undefined && from === "found") continue;
      const same = path !== undefined && firstAtOrAbove(path, real);
      // What lies in another root under the same name is that root's already, and tells where it lies by itself.
      if (same && !isAtOrBelow(folder, same.folder)) {
        leave("same folder", same.folder);
        continue;
      }
      if (path !== undefined) real.set(path, { at: real.size, folder });
    } catch (error) {
      // What was named stays a root: a folder may come, and doctor says what is wrong with it.
      if (from === "found") {
        if (error instanceof NotAFolder) leave("not a folder");
        else if (!missing(error)) leave("unreadable", error instanceof Error ? error.message : String(error));
        continue;
      }
      if (!(error instanceof NotAFolder) && systemCode(error) === undefined) throw error;
    }
    kept.push({ folder, ...(agent && { agent }), from });
  }
  return { kept, leftOut };
}

/** Tells whether a folder is one of the `excluded`, or lies below one, by its name or by where links on the way to it lead. */
function exclusion(excluded: readonly string[]): (folder: string) => boolean {
  if (excluded.length === 0) return () => false;
  const all = [...excluded, ...excluded.flatMap((path) => realPathSoFar(path) ?? [])];
  const isBelowOne = (name: string) => all.some((path) => isAtOrBelow(name, path));
  const known = new Map<string, boolean>();
  const isExcluded = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const above = dirname(folder);
    const is =
      isBelowOne(folder) ||
      isBelowOne(realPathSoFar(folder) ?? folder) ||
      (above !== folder && isExcluded(above));
    known.set(folder, is);
    return is;
  };
  return isExcluded;
}

/** The first of the folders to have come that is a folder, or lies above it. */
function firstAtOrAbove<T extends { at: number }>(
  path: string,
  folders: ReadonlyMap<string, T>,
): T | undefined {
  let first = folders.get(path);
  for (let below = path, above = dirname(path); above !== below; below = above, above = dirname(above)) {
    const found = folders.get(above);
    if (found && (!first || found.at < first.at)) first = found;
  }
  return first;
}

function exists(folder: string, disk: Disk): boolean {
  try {
    return disk.enter(folder) !== undefined;
  } catch {
    return false; // nothing is left out that is not there, or could not be read
  }
}
