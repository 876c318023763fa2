import { readFileSync } from "node:fs";
import { systemCode } from "../src/errors.ts";

/** Why changes are not told of, and what a person can do about it, in a sentence each. */
export function whyNotTold(error: unknown): string {
  const code = systemCode(error);
  if (code === "ENOSPC") return `the system has no file watches left. ${raise("max_user_watches", 524_288)}`;
  if (code === "EMFILE") {
    return `too many files or watchers are open. ${raise("max_user_instances", 1_024)} Or raise \`ulimit -n\`.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The command that raises a limit of inotify, to what is usual or twice what it is. */
function raise(limit: string, usual: number): string {
  const now = limitNow(limit);
  const setting = `fs.inotify.${limit}=${Math.max(usual, 2 * (now ?? 0))}`;
  const is = now === undefined ? "" : `, which is ${now}`;
  return (
    `Raise fs.inotify.${limit}${is}: sudo sysctl ${setting}; ` +
    `to keep it: echo ${setting} | sudo tee /etc/sysctl.d/60-inotify.conf`
  );
}

function limitNow(limit: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${limit}`, "utf8"));
  } catch {
    return undefined; // another system than Linux, or no /proc: the sentence does without
  }
}
