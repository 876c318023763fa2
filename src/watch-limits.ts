import { readFileSync, watch } from "node:fs";
import { systemCode, toMessage } from "./errors.ts";

/** inotify's limits per user. Linux only. */
export interface WatchLimits {
  /** Maximum number of watched folders, all programs together. */
  maxWatches?: number;
  /** Maximum number of watchers. */
  maxInstances?: number;
}

/** Why a folder cannot be watched, and the limit that was reached, if that is the reason. */
export interface WatchError {
  reason: string;
  limit?: keyof WatchLimits;
}

/** Linux's names for the limits, and the minimum to raise them to: the values that editors recommend. */
const INOTIFY = {
  maxWatches: { name: "max_user_watches", usual: 524_288 },
  maxInstances: { name: "max_user_instances", usual: 1_024 },
} as const;

export function readWatchLimits(): WatchLimits {
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
    // Not on macOS and Windows; a container may hide them.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Explains an error of `fs.watch`. */
export function toWatchError(error: unknown): WatchError {
  const code = systemCode(error);
  if (code === "ENOSPC") return { reason: "the system has no file watches left", limit: "maxWatches" };
  if (code === "EMFILE") return { reason: "too many files or watchers are open", limit: "maxInstances" };
  return { reason: toMessage(error) };
}

/**
 * A command that raises a limit, now and permanently, to at least twice its current value.
 *
 * @param folders number of folders to watch, if known; other programs watch folders too
 */
export function raiseLimitCommand(limit: keyof WatchLimits, limits: WatchLimits, folders = 0): string {
  const { name, usual } = INOTIFY[limit];
  const needed = limit === "maxWatches" ? 4 * folders : 0;
  const setting = `fs.inotify.${name}=${Math.max(usual, 2 * (limits[limit] ?? 0), needed)}`;
  const command = `sudo sysctl ${setting}; to make it permanent: echo ${setting} | sudo tee -a /etc/sysctl.d/60-inotify.conf`;
  // EMFILE can also mean the limit of open files.
  return limit === "maxInstances" ? `${command}; or raise ulimit -n` : command;
}

/** Watches a folder for a moment. @returns why that failed, or undefined if it can be watched */
export function tryWatching(folder: string): Promise<WatchError | undefined> {
  return new Promise((resolve) => {
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.once("error", (error) => resolve(toWatchError(error)));
      watcher.once("close", () => resolve(undefined));
      watcher.close();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      resolve(toWatchError(error));
    }
  });
}
