/** Finds the session folders of agents installed on this machine. */
import { accessSync, constants, type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type Environment, findHome } from "../environment.ts";
import { systemCode, toMessage } from "../errors.ts";
import { getOrInsert } from "../get-or-insert.ts";
import { isAtOrBelow, resolveExistingLinks, resolveLinks } from "../path-bytes.ts";
import { AGENTS, detectAgent, getOmpConfigDir, type KnownAgent } from "./agents.ts";
import { expandPath } from "./locations.ts";

/** A session folder, its agent, and its source: an environment variable, `default` or `found`. */
export interface AgentFolder {
  folder: string;
  agent?: string;
  source: string;
  /** The environment variable that moves the agent's sessions to another folder. */
  overridingVariable?: string;
  /** The system's error if the folder could not be listed; agents in it may have been missed. */
  listError?: string;
}

/** A session folder that is not searched, and the reason. */
export interface SkippedFolder {
  folder: string;
  agent?: string;
  why: "unreadable" | "not a folder" | "same folder" | "excluded";
  /** The system's error, the root it duplicates, or the environment variable that excludes it. */
  detail?: string;
}

/** File system calls, replaceable so that tests can count them. Both throw the error of `fs`. */
export interface FolderReader {
  list(folder: string): readonly Dirent[];
  /** The folder's path with links resolved; undefined if it does not exist. Throws unless it is a readable folder. */
  resolveFolder(folder: string): string | undefined;
}

const DISK: FolderReader = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  resolveFolder(folder) {
    // Every sync checks dozens of folders that do not exist, and a thrown error costs ten times as much as the check.
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!stat.isDirectory()) throw new NotAFolder();
    accessSync(folder, constants.R_OK | constants.X_OK);
    return resolveLinks(folder);
  },
};

class NotAFolder extends Error {}

/**
 * Finds session folders in the home folder and in folders named by environment variables, in a stable order. Costs one
 * listing of the home folder and one `stat` for each hidden folder in it; nothing else is walked.
 */
export function findAgentFolders(environment: Environment, disk: FolderReader = DISK): AgentFolder[] {
  const home = findHome(environment) ?? "";
  const { names: hidden, unlistable } = home ? listHiddenFolders(home, disk) : NONE;
  const named = AGENTS.flatMap((agent) => getNamedFolders(agent, environment, disk));
  const known = AGENTS.flatMap((agent) => {
    const movedBy = agent.overridingVariables.find((variable) => environment[variable]);
    return (
      getHomes(agent, environment)
        // If the home folder can be entered but not listed, known agents are looked up by name.
        .filter((name) => unlistable || hidden.has(name) || name === getOmpConfigDir(environment))
        .flatMap((name) => agent.folders.flatMap((folder) => expandPattern(join(home, name), folder, disk)))
        .map((folder) => ({
          folder,
          agent: agent.name,
          source: "found",
          ...(movedBy && { overridingVariable: movedBy }),
        }))
    );
  });
  const taken = new Set(AGENTS.flatMap((agent) => getHomes(agent, environment)));
  const others = [...hidden]
    .filter((name) => !taken.has(name))
    .map((name) => ({
      folder: join(home, name, "agent", "sessions"),
      agent: name.slice(1),
      source: "found",
    }));
  const missed = unlistable ? [{ folder: home, source: "found", listError: unlistable }] : [];
  return [...named, ...known, ...others, ...missed];
}

const NONE: { names: Set<string>; unlistable?: string } = { names: new Set() };

/** Sorted names of the hidden folders in a home folder, links included. */
function listHiddenFolders(home: string, disk: FolderReader): typeof NONE {
  try {
    const entries = disk.list(home).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    const names = entries.map(({ name }) => name).filter((name) => /^\.[^.]/.test(name));
    return { names: new Set(names.sort()) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // Folders named by variables are still searched.
    return isMissing(error) ? NONE : { names: new Set(), unlistable: String((error as Error).message) };
  }
}

/** The hidden folders of an agent. `PI_CONFIG_DIR` renames oh-my-pi's. */
function getHomes({ name, homeFolders }: KnownAgent, environment: Environment): string[] {
  const own = homeFolders.map((home) => `.${home}`);
  const moved = getOmpConfigDir(environment);
  return name === "omp" && moved && !own.includes(moved) ? [moved, ...own] : own;
}

function getNamedFolders(agent: KnownAgent, environment: Environment, disk: FolderReader): AgentFolder[] {
  return Object.entries(agent.variables).flatMap(([variable, folders]) => {
    const named = environment[variable];
    if (!named) return [];
    const base = expandPath(named, environment);
    // XDG_DATA_HOME holds data of other programs too, so a missing oh-my-pi folder is not an error.
    const source = variable.startsWith("XDG_") ? "found" : variable;
    return folders
      .flatMap((folder) => expandPattern(base, folder, disk))
      .map((folder) => ({ folder, agent: agent.name, source }));
  });
}

/** Expands a relative path with at most one `*`, which matches any folder name. */
function expandPattern(base: string, pattern: string, disk: FolderReader): string[] {
  const [before, after] = pattern.split("*");
  if (after === undefined) return [join(base, pattern)];
  const above = join(base, before as string);
  try {
    const folders = disk.list(above).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return folders.map(({ name }) => join(above, name, after)).sort();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return isMissing(error) ? [] : [above];
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error) ?? "");
}

/**
 * Chooses the folders to search: each real folder once, under its first name, without the `excluded` ones. A missing folder
 * that no setting names is in neither list.
 */
export function chooseFolders(
  folders: readonly AgentFolder[],
  excluded: readonly string[],
  disk: FolderReader = DISK,
): { kept: AgentFolder[]; skippedFolders: SkippedFolder[] } {
  const kept: AgentFolder[] = [];
  const skippedFolders: SkippedFolder[] = [];
  const seen = new Set<string>();
  const real = new Map<string, { at: number; folder: string }>();
  const isExcluded = toExclusion(excluded);
  for (const each of folders) {
    const { folder, source } = each;
    if (seen.has(folder)) continue;
    seen.add(folder);
    const agent = each.agent ?? detectAgent(folder + sep);
    const leave = (why: SkippedFolder["why"], detail?: string) =>
      skippedFolders.push({ folder, ...(agent && { agent }), why, ...(detail && { detail }) });
    const excludedBy = isExcluded(folder) ? "PIDEX_EXCLUDE" : each.overridingVariable;
    if (each.listError) {
      leave("unreadable", each.listError);
      continue;
    }
    if (excludedBy) {
      if (exists(folder, disk)) leave("excluded", excludedBy);
      continue;
    }
    try {
      const path = disk.resolveFolder(folder);
      if (path === undefined && source === "found") continue;
      const same = path !== undefined && findAtOrAbove(path, real);
      // A folder inside another root, by name too, is part of that root: not worth reporting as a duplicate.
      if (same && !isAtOrBelow(folder, same.folder)) {
        leave("same folder", same.folder);
        continue;
      }
      if (path !== undefined) real.set(path, { at: real.size, folder });
    } catch (error) {
      // A folder named by a setting stays a root: it may appear later, and `doctor` reports what is wrong with it.
      if (source === "found") {
        if (error instanceof NotAFolder) leave("not a folder");
        else if (!isMissing(error)) leave("unreadable", toMessage(error));
        continue;
      }
      if (!(error instanceof NotAFolder) && systemCode(error) === undefined) throw error;
    }
    kept.push({ folder, ...(agent && { agent }), source });
  }
  return { kept, skippedFolders };
}

/** Returns a predicate: true for folders at or below one of `excluded`, by path or with links resolved. */
function toExclusion(excluded: readonly string[]): (folder: string) => boolean {
  if (excluded.length === 0) return () => false;
  const all = [...excluded, ...excluded.flatMap((path) => resolveExistingLinks(path) ?? [])];
  const isBelowAny = (name: string) => all.some((path) => isAtOrBelow(name, path));
  const known = new Map<string, boolean>();
  const isExcluded = (folder: string): boolean =>
    getOrInsert(known, folder, () => {
      const above = dirname(folder);
      return (
        isBelowAny(folder) ||
        isBelowAny(resolveExistingLinks(folder) ?? folder) ||
        (above !== folder && isExcluded(above))
      );
    });
  return isExcluded;
}

/** The earliest added folder that equals `path` or contains it. */
function findAtOrAbove<T extends { at: number }>(
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

function exists(folder: string, disk: FolderReader): boolean {
  try {
    return disk.resolveFolder(folder) !== undefined;
  } catch {
    return false; // a missing or unreadable folder is not reported as excluded
  }
}
