import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { PidexError, systemCode } from "./errors.ts";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's home folder.
 *
 * @throws PidexError `NO_HOME` if there is none
 */
export function getHomeFolder(environment: Environment = process.env): string {
  const home = findHome(environment);
  if (home !== undefined) return home;
  const hint =
    "Set HOME to an absolute path, or set all paths: --db and --root, or PIDEX_DB and PIDEX_ROOTS.";
  throw new PidexError("NO_HOME", "no home folder found", hint);
}

/** The user's home folder; undefined if `HOME` isn't an absolute path and the system has no entry for the user. */
export function findHome(environment: Environment = process.env): string | undefined {
  const home = environment.HOME || recordedHome();
  return isAbsolute(home) ? home : undefined;
}

function recordedHome(): string {
  try {
    return homedir();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ""; // the uid has no user entry, as in some containers
  }
}

/**
 * The user's folder for caches: `$XDG_CACHE_HOME` or `~/.cache`; macOS `~/Library/Caches`; Windows `%LOCALAPPDATA%`.
 *
 * @throws PidexError `NO_HOME`
 */
export function getCacheFolder(environment: Environment, platform: NodeJS.Platform): string {
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  if (platform === "win32" && environment.LOCALAPPDATA) return environment.LOCALAPPDATA;
  const home = getHomeFolder(environment);
  if (platform === "darwin") return join(home, "Library", "Caches");
  return platform === "win32" ? join(home, "AppData", "Local") : join(home, ".cache");
}

/**
 * pidex's folder for settings: `$PIDEX_CONFIG`, else `pidex` in `$XDG_CONFIG_HOME` or `~/.config`; Windows `%APPDATA%`.
 *
 * @throws PidexError `NO_HOME`
 */
export function getConfigFolder(environment: Environment, platform: NodeJS.Platform): string {
  const { PIDEX_CONFIG = "", XDG_CONFIG_HOME = "", APPDATA = "" } = environment;
  if (PIDEX_CONFIG) return PIDEX_CONFIG;
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, "pidex");
  if (platform === "win32" && APPDATA) return join(APPDATA, "pidex");
  return join(getHomeFolder(environment), ".config", "pidex");
}

/**
 * pidex's folder for data that cannot be rebuilt: `pidex` in `$XDG_DATA_HOME` or `~/.local/share`; macOS
 * `~/Library/Application Support`; Windows `%LOCALAPPDATA%`.
 *
 * @throws PidexError `NO_HOME`
 */
export function getDataFolder(environment: Environment, platform: NodeJS.Platform): string {
  const { XDG_DATA_HOME = "", LOCALAPPDATA = "" } = environment;
  if (isAbsolute(XDG_DATA_HOME)) return join(XDG_DATA_HOME, "pidex");
  if (platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "pidex");
  const home = getHomeFolder(environment);
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "pidex")
    : join(home, ".local", "share", "pidex");
}

/**
 * The process's working directory.
 *
 * @throws PidexError `FOLDER_GONE` if it was deleted
 */
export function getWorkingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const hint = "Change to an existing folder.";
    throw new PidexError("FOLDER_GONE", "the working directory was deleted", hint, { cause });
  }
}
