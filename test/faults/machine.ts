/** What a machine lets tests break for real, and how. Where it does not, tests are skipped and say so by their names. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Written } from "../bin/cli.ts";
import { isRoot } from "../indexer/synced.ts";

/** A user that owns nothing, and one that does not exist. */
export const NOBODY_UID = 65_534;
export const UNKNOWN_UID = 54_321;

const CHILD = join(import.meta.dirname, "child.ts");

/**
 * Runs work as a user whom permissions hold back: root may read and write everything. What asks whether a file is there
 * (`access`) still is told so as root: what rests on that needs a process of its own.
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

/** Whether an ordinary user can run what is tested: not where root keeps the project to itself. */
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
  /** Variables over those there are; undefined takes one away. */
  env?: Record<string, string | undefined>;
  /** The number of the user who calls, where root does. */
  uid?: number;
  /** What a shell does before, in the same process: `ulimit`, `umask`, `cd`. */
  before?: string;
  /** What starts it: `unshare`. */
  by?: string[];
}

/** Calls pidex in a process of its own, in some environment. @throws when the process itself fails */
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

/** What starts a process that may mount, and sees its own mounts alone: they are gone with it. */
export const MOUNT_COMMAND = ["unshare", "--user", "--map-root-user", "--mount"];

/** Whether this machine lets us mount: as root or, where user namespaces are allowed, as anybody. */
export const canMount =
  existsSync("/proc/self/ns/user") &&
  spawnSync(MOUNT_COMMAND[0] as string, [...MOUNT_COMMAND.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"])
    .status === 0;
