import { readFileSync, watch } from "node:fs";
import { systemCode } from "./errors.ts";

/** How much may be watched on this machine. */
export interface WatchLimits {
  /** Folders that all programs of a user may watch, and watchers that a user may have: Linux alone has such limits. */
  maxWatches?: number;
  maxInstances?: number;
}

export function watchLimits(): WatchLimits {
  const maxWatches = inotifyLimit("max_user_watches");
  const maxInstances = inotifyLimit("max_user_instances");
  return {
    ...(maxWatches !== undefined && { maxWatches }),
    ...(maxInstances !== undefined && { maxInstances }),
  };
}

function inotifyLimit(name: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"));
  } catch (error) {
    // macOS and Windows have none, and a container may hide them.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Watches a folder for a moment. @returns what the system says where that cannot be done */
export function whyUnwatchable(folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.once("error", (error) => resolve(error.message));
      watcher.once("close", () => resolve(undefined));
      watcher.close();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      resolve(error instanceof Error ? error.message : String(error));
    }
  });
}
