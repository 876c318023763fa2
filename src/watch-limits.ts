import { readFileSync, watch } from "node:fs";
import { systemCode } from "./errors.ts";

/** How much may be watched on this machine. */
export interface WatchLimits {
  /** Folders that all programs of a user may watch, and watchers that a user may have: Linux alone has such limits. */
  maxWatches?: number;
  maxInstances?: number;
}

/** Why folders cannot be watched, in words, and the limit that is reached, where it is one. */
export interface WatchTrouble {
  reason: string;
  limit?: keyof WatchLimits;
}

/** What Linux calls its limits, and what they are raised to at least: as much as programs that watch much ask for. */
const INOTIFY = {
  maxWatches: { name: "max_user_watches", usual: 524_288 },
  maxInstances: { name: "max_user_instances", usual: 1_024 },
} as const;

export function watchLimits(): WatchLimits {
  const maxWatches = inotifyLimit("maxWatches");
  const maxInstances = inotifyLimit("maxInstances");
  return {
    ...(maxWatches !== undefined && { maxWatches }),
    ...(maxInstances !== undefined && { maxInstances }),
  };
}

function inotifyLimit(limit: keyof WatchLimits): number | undefined {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${INOTIFY[limit].name}`, "utf8"));
  } catch (error) {
    // macOS and Windows have none, and a container may hide them.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** What an error that came of watching tells. */
export function watchTrouble(error: unknown): WatchTrouble {
  const code = systemCode(error);
  if (code === "ENOSPC") return { reason: "the system has no file watches left", limit: "maxWatches" };
  if (code === "EMFILE") return { reason: "too many files or watchers are open", limit: "maxInstances" };
  return { reason: error instanceof Error ? error.message : String(error) };
}

/**
 * The command that raises a limit, now and for good: at least to twice what it is.
 *
 * @param folders how many are to be watched, where that is known: other programs watch some too
 */
export function howToRaise(limit: keyof WatchLimits, limits: WatchLimits, folders = 0): string {
  const { name, usual } = INOTIFY[limit];
  const needed = limit === "maxWatches" ? 4 * folders : 0;
  const setting = `fs.inotify.${name}=${Math.max(usual, 2 * (limits[limit] ?? 0), needed)}`;
  const command = `sudo sysctl ${setting}; to keep it: echo ${setting} | sudo tee -a /etc/sysctl.d/60-inotify.conf`;
  // The system says the same of both.
  return limit === "maxInstances" ? `${command}; or raise ulimit -n` : command;
}

/** Watches a folder for a moment. @returns what the system says where that cannot be done */
export function whyUnwatchable(folder: string): Promise<WatchTrouble | undefined> {
  return new Promise((resolve) => {
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.once("error", (error) => resolve(watchTrouble(error)));
      watcher.once("close", () => resolve(undefined));
      watcher.close();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      resolve(watchTrouble(error));
    }
  });
}
