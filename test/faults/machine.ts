/** Real faults that this machine allows, and how to cause them. Tests of others are skipped, and their names say so. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Written } from "../bin/cli.ts";
import { isRoot } from "../indexer/synced.ts";

/** User ids: one that owns no files, and one that does not exist. */
export const NOBODY_UID = 65_534;
export const UNKNOWN_UID = 54_321;

const CHILD = join(import.meta.dirname, "child.ts");

/**
 * Runs a function as a user without root's permissions. `access` still uses root's permissions; code that depends on it needs a
 * separate process.
 */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  const [gid, groups] = [process.getegid?.() ?? 0, process.getgroups?.() ?? []];
  process.setgroups?.([NOBODY_UID]);
  process.setegid?.(NOBODY_UID);
  process.seteuid?.(NOBODY_UID);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(gid);
    process.setgroups?.(groups);
  }
}

/** Whether an ordinary user can run the tests: not if only root can read the project. */
export const hasOrdinaryUser = await asOrdinaryUser(async () => {
  try {
    accessSync(join(import.meta.dirname, "..", "..", "package.json"), constants.R_OK);
    accessSync(process.execPath, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}).catch(() => false);

interface Around {
  /** Changed environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** The user id, if the tests run as root. */
  uid?: number;
  /** Shell commands to run first in the same process: `ulimit`, `umask`, `cd`. */
  before?: string;
  /** A command that starts the process, such as `unshare`. */
  by?: string[];
}

/** Runs pidex commands in a separate process. @throws if the process itself fails */
export function runPidex({ env = {}, uid, before, by = [] }: Around, ...calls: string[][]): Written[] {
  const { PIDEX_ROOTS: _, PIDEX_DB: __, XDG_CACHE_HOME: ___, ...rest } = process.env;
  const command = [process.execPath, "--no-warnings", CHILD, JSON.stringify(calls)];
  const shell = before === undefined ? command : ["sh", "-c", `${before}\nexec "$@"`, "sh", ...command];
  const [name = "", ...args] = [...by, ...shell];
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    encoding: "utf8",
    env: { ...rest, ...env },
    maxBuffer: 64 << 20,
    timeout: 60_000,
    ...(isRoot && uid !== undefined && { uid, gid: uid }),
  });
  if (status !== 0) throw error ?? new Error(`exit ${status}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** A command prefix for a process that may mount; its mounts are private and disappear with it. */
export const MOUNT_COMMAND = ["unshare", "--user", "--map-root-user", "--mount"];

/** Whether this machine allows mounts: for root, or for every user if user namespaces are allowed. */
export const canMount =
  existsSync("/proc/self/ns/user") &&
  spawnSync(MOUNT_COMMAND[0] as string, [...MOUNT_COMMAND.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"])
    .status === 0;
