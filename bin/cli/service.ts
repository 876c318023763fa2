import { fileURLToPath } from "node:url";
import { PidexError } from "../../library/index.ts";
import { findHome, shellWord } from "../../library/internal.ts";
import { oneLine, safe } from "../format/safe.ts";
import { dayAndTime } from "../format/times.ts";
import { installedContent, type Manager, managerOf } from "../service/manager.ts";
import { MARKER, type Machine } from "../service/plan.ts";
import { doStep, type Step } from "../service/steps.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { type CommonOptions, EXIT } from "./run.ts";
import type { ServiceStatus, ServiceStep } from "./service-answers.ts";

interface Flags extends CommonOptions {
  dryRun?: boolean;
}

/** `pidex service`: keeps `pidex watch` running, by systemd or launchd. */
export async function run(
  io: Io,
  [action = ""]: string[],
  flags: Flags,
  machine: Machine = thisMachine(),
): Promise<number> {
  if (action === "status") return tellStatus(io, flags, machine);
  if (action !== "install" && action !== "remove") {
    const hint = "Write pidex service install, status or remove.";
    throw new PidexError("BAD_OPTION", `a service cannot be told to ${action}`, hint);
  }
  const manager = managerOf(machine, flags);
  const before = installedContent(manager);
  if (before !== undefined && !isOurs(before)) {
    const message = `${manager.file} was not written by pidex: it stays as it is`;
    throw new PidexError("SERVICE_FAILED", message, "Look into it, and move it away if nothing needs it.");
  }
  const changed = action === "install" ? before !== manager.content() : before !== undefined;
  const steps =
    action === "install" ? manager.install(changed) : before === undefined ? [] : manager.remove();
  const asJson = flags.json || flags.ndjson;
  if (!asJson) await tellOfChange(io, { action, before, changed, manager });
  for (const step of steps) {
    if (!asJson) await io.out(describe(step, flags.dryRun ?? false));
    if (!flags.dryRun) await doStep(step, machine.environment);
  }
  if (asJson) await writeJson(io, { dryRun: flags.dryRun ?? false, changed, steps: steps.map(forJson) });
  else if (action === "install" && !flags.dryRun) io.err("pidex service status says how it is doing\n");
  return EXIT.done;
}

/** From source the script is TypeScript. Built, it lies beside the chunks that this is one of. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "../pidex.ts" : "../bin/pidex.js", import.meta.url);

function thisMachine(): Machine {
  return {
    platform: process.platform,
    environment: process.env,
    home: findHome() ?? "",
    uid: process.getuid?.() ?? 0,
    node: process.execPath,
    script: fileURLToPath(SCRIPT),
  };
}

function isOurs(content: string): boolean {
  return content.includes(MARKER);
}

interface Change {
  action: "install" | "remove";
  before: string | undefined;
  changed: boolean;
  manager: Manager;
}

async function tellOfChange(io: Io, { action, before, changed, manager }: Change): Promise<void> {
  const file = oneLine(manager.file);
  if (action === "remove") {
    if (before === undefined) io.err(`no service is installed: there is no ${file}\n`);
  } else if (!changed) await io.out(`${file} is as it should be\n`);
  else if (before !== undefined) {
    const [was, is] = [before.split("\n"), manager.content().split("\n")];
    const gone = was.filter((line) => !is.includes(line)).map((line) => `  - ${oneLine(line)}\n`);
    const come = is.filter((line) => !was.includes(line)).map((line) => `  + ${oneLine(line)}\n`);
    await io.out(`${file} changes:\n${gone.join("")}${come.join("")}`);
  }
}

/** A step in words, before it is taken: what is written, and what is run. */
function describe(step: Step, dryRun: boolean): string {
  const will = dryRun ? "would " : "";
  const s = dryRun ? "" : "s";
  if (step.does === "run") return `${will}run${s} ${safe(step.argv.map(shellWord).join(" "))}\n`;
  if (step.does === "delete") return `${will}delete${s} ${oneLine(step.path)}\n`;
  const lines = step.content.trimEnd().split("\n");
  return `${will}write${s} ${oneLine(step.path)}:\n${lines.map((line) => `  ${safe(line)}\n`).join("")}`;
}

function forJson(step: Step): ServiceStep {
  return step.does === "run" ? { does: "run", argv: [...step.argv] } : step;
}

/** How the service is doing. @throws PidexError `SERVICE_UNAVAILABLE` where there can be none */
export async function serviceStatus(
  flags: CommonOptions,
  machine: Machine = thisMachine(),
): Promise<ServiceStatus> {
  const manager = managerOf(machine, flags);
  const content = installedContent(manager);
  if (content === undefined) return { path: manager.file, installed: false };
  const ours = isOurs(content);
  const status = { path: manager.file, installed: true, ours, ...(ours && { current: isCurrent() }) };
  try {
    return { ...status, ...(await manager.activity()) };
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return { ...status, reason: error.message };
  }

  function isCurrent(): boolean {
    try {
      return content === manager.content();
    } catch (error) {
      if (error instanceof PidexError) return false; // by npx, for one
      throw error;
    }
  }
}

async function tellStatus(io: Io, flags: Flags, machine: Machine): Promise<number> {
  const status = await serviceStatus(flags, machine);
  if (flags.json || flags.ndjson) await writeJson(io, { service: status });
  else await io.out(statusLines(io, status));
  return status.installed ? EXIT.done : EXIT.notFound;
}

function statusLines(io: Io, status: ServiceStatus): string {
  const { path, installed, ours, current } = status;
  if (!installed) return "not installed: pidex service install installs it\n";
  const lines = [`${activityOf(status)}`, oneLine(path)];
  if (ours === false) lines.push(io.style("yellow", "that file was not written by pidex"));
  else if (!current) {
    lines.push(io.style("yellow", "pidex service install, with these options, would change that file"));
  }
  return `${lines.join("\n")}\n`;
}

/** Whether it runs, in a few words. */
export function activityOf({ active, since, reason }: ServiceStatus): string {
  if (active === undefined) return `installed; whether it runs is not known: ${oneLine(reason ?? "")}`;
  if (!active) return `installed, but not running: ${oneLine(reason ?? "")}`;
  return since === undefined ? "running" : `running since ${dayAndTime(new Date(since))}`;
}
