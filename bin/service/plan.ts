import { delimiter, join, resolve } from "node:path";
import { PidexError } from "../../library/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What a service depends on: this machine, its user, and this installation of pidex. */
export interface Machine {
  platform: NodeJS.Platform;
  environment: Environment;
  home: string;
  /** The user's number, by which launchd knows who is logged in. */
  uid: number;
  /** The Node that runs pidex, and the script that it runs. */
  node: string;
  script: string;
}

export interface ServiceFlags {
  root?: readonly string[];
  db?: string;
}

/** What the service runs. */
export interface ServicePlan {
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Where launchd keeps what it says; systemd has its journal. */
  log: string;
}

/** By this line a file is known to be pidex's own. */
export const MARKER = "Written by pidex service install. pidex service remove deletes it.";

/** What the service is called by launchd. */
export const LABEL = "pidex.watch";

/** What says where sessions and the index are: the service must look where its user does. */
const CARRIED = [
  "PIDEX_ROOTS",
  "PIDEX_EXCLUDE",
  "PIDEX_DB",
  "PI_CODING_AGENT_DIR",
  "ATOMIC_CODING_AGENT_DIR",
  "PI_CODING_AGENT_SESSION_DIR",
  "PRIME_AGENT_CODING_AGENT_DIR",
  "PRIME_AGENT_SESSION_DIR",
  "PRIME_AGENT_CODING_AGENT_SESSION_DIR",
  "OPENCLAW_STATE_DIR",
  "CLAWDBOT_STATE_DIR",
  "GSD_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "TMPDIR",
];
const LISTS = ["PIDEX_ROOTS", "PIDEX_EXCLUDE"];

/**
 * `pidex watch`, as a service runs it: with full paths, since it runs in another folder, and with the variables that say
 * where things are.
 *
 * @throws PidexError `BAD_OPTION` for a path that cannot stand in a service's file; `SERVICE_UNAVAILABLE` when pidex is
 * not installed
 */
export function planService(machine: Machine, { root = [], db }: ServiceFlags): ServicePlan {
  const { node, script, environment, home } = machine;
  if (/[\\/]_npx[\\/]/.test(script)) {
    const message = `this pidex was fetched by npx, and may be gone tomorrow: ${script}`;
    throw new PidexError("SERVICE_UNAVAILABLE", message, "Install it first: npm install -g pidex");
  }
  const carried = CARRIED.flatMap((name): [string, string][] => {
    const value = environment[name];
    if (!value) return [];
    const paths = LISTS.includes(name) ? value.split(delimiter).filter(Boolean) : [value];
    return [[name, paths.map(absolute).join(delimiter)]];
  });
  const plan = {
    argv: [
      node,
      script,
      "watch",
      "--quiet",
      ...root.flatMap((folder) => ["--root", absolute(folder)]),
      ...(db === undefined ? [] : ["--db", absolute(db)]),
    ],
    environment: Object.fromEntries(carried),
    log: join(home, "Library", "Logs", "pidex.log"),
  };
  for (const text of [...plan.argv, ...Object.values(plan.environment), plan.log]) assertPlain(text);
  return plan;
}

/** pidex itself understands `~` and `file://`. */
function absolute(path: string): string {
  return path === "~" || /^(~[/\\]|file:\/\/)/.test(path) ? path : resolve(path);
}

/** Neither format has a sure way to write what no path should have. */
function assertPlain(text: string): void {
  if (text.isWellFormed() && !/[\p{Cc}\ufffe\uffff]/u.test(text)) return;
  const message = `${JSON.stringify(text)} holds a control character, which cannot stand in a service's file`;
  throw new PidexError("BAD_OPTION", message, "Give that folder another name.");
}
