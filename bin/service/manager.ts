import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { PidexError } from "../../library/index.ts";
import { launchdAgent } from "./agent.ts";
import { LABEL, MARKER, type Machine, planService, type ServiceFlags } from "./plan.ts";
import { isUnreachable, runCommand, type Step } from "./steps.ts";
import { systemdUnit } from "./unit.ts";

/** How a service is doing. */
export interface Activity {
  /** Absent where it could not be found out. */
  active?: boolean;
  since?: string;
  /** What it is doing instead, or why that could not be found out. */
  reason?: string;
}

/** What keeps services running on a machine: systemd, or launchd. */
export interface Manager {
  /** Where the service's file lies. */
  file: string;
  /** What would be written there now. @throws as `planService` */
  content(): string;
  install(changed: boolean): Step[];
  remove(): Step[];
  activity(): Promise<Activity>;
}

/** @throws PidexError `SERVICE_UNAVAILABLE` where pidex knows of nothing that keeps services running */
export function managerOf(machine: Machine, flags: ServiceFlags): Manager {
  if (!isAbsolute(machine.home)) {
    const message = "the system does not say where your home folder is";
    throw new PidexError("SERVICE_UNAVAILABLE", message, "Set HOME to a full path.");
  }
  if (machine.platform === "linux") return systemd(machine, flags);
  if (machine.platform === "darwin") return launchd(machine, flags);
  const hint =
    machine.platform === "win32"
      ? 'Let the Task Scheduler start pidex watch when you log on: schtasks /create /tn pidex /sc onlogon /tr "pidex watch --quiet"'
      : "Start pidex watch --quiet with whatever starts your programs.";
  const message = `pidex cannot make a service on ${machine.platform}`;
  throw new PidexError("SERVICE_UNAVAILABLE", message, hint);
}

/** What stands in the service's file, or undefined where there is none. @throws PidexError `SERVICE_FAILED` */
export function installedContent({ file }: Manager): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined;
    const hint = "Look at what lies there, and who may read it.";
    throw new PidexError("SERVICE_FAILED", `${file} cannot be read: ${cause.message}`, hint, { cause });
  }
}

const UNIT = "pidex.service";

function systemd(machine: Machine, flags: ServiceFlags): Manager {
  const { environment, home } = machine;
  const file = join(environment.XDG_CONFIG_HOME || join(home, ".config"), "systemd", "user", UNIT);
  const content = () => systemdUnit(planService(machine, flags), MARKER);
  const run = (...args: string[]): Step => ({ does: "run", argv: ["systemctl", "--user", ...args] });
  return {
    file,
    content,
    install: (changed) => [
      // Asks nothing, but fails where nothing else could be done either: before anything is written.
      run("show", "--property=Version"),
      ...(changed ? [{ does: "write" as const, path: file, content: content() }, run("daemon-reload")] : []),
      run("enable", UNIT),
      run(changed ? "restart" : "start", UNIT),
    ],
    remove: () => [run("disable", "--now", UNIT), { does: "delete", path: file }, run("daemon-reload")],
    async activity() {
      const properties = "--property=ActiveState,ActiveEnterTimestamp";
      const argv = ["systemctl", "--user", "show", UNIT, properties];
      const { exit, out, err } = await runCommand(argv, { ...environment, TZ: "UTC", LC_ALL: "C" });
      if (exit !== 0) return { reason: (err.trim() || out.trim()).split("\n")[0] || `exit ${exit}` };
      const [, state = ""] = /^ActiveState=(.*)$/m.exec(out) ?? [];
      const [, day, time] = /^ActiveEnterTimestamp=\w+ (\S+) (\S+) UTC$/m.exec(out) ?? [];
      const active = state === "active";
      return {
        active,
        ...(active && day && time && { since: `${day}T${time}Z` }),
        ...(!active && { reason: state }),
      };
    },
  };
}

function launchd(machine: Machine, flags: ServiceFlags): Manager {
  const { environment, home, uid } = machine;
  const file = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const content = () => launchdAgent(planService(machine, flags), MARKER);
  const domain = `gui/${uid}`;
  const service = `${domain}/${LABEL}`;
  const run = (...args: string[]): Step => ({ does: "run", argv: ["launchctl", ...args] });
  // It fails where the service was not known.
  const bootout: Step = { does: "run", argv: ["launchctl", "bootout", service], unless: "never mind" };
  return {
    file,
    content,
    install: (changed) => [
      run("print", domain),
      ...(changed ? [{ does: "write" as const, path: file, content: content() }] : []),
      bootout,
      run("enable", service),
      { does: "run", argv: ["launchctl", "bootstrap", domain, file], unless: "try again" },
    ],
    remove: () => [bootout, { does: "delete", path: file }],
    async activity() {
      const { exit, out, err } = await runCommand(["launchctl", "print", service], environment);
      const said = (err.trim() || out.trim()).split("\n")[0] ?? "";
      if (exit !== 0) return isUnreachable(said) ? { reason: said } : { active: false, reason: "not loaded" };
      const [, state = ""] = /^\s*state = (.*)$/m.exec(out) ?? [];
      return state === "running" ? { active: true } : { active: false, reason: state };
    },
  };
}
