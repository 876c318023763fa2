import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PidexError } from "../../library/index.ts";

/** One thing that is done to install or remove a service. */
export type Step =
  | { does: "write"; path: string; content: string }
  | { does: "delete"; path: string }
  | { does: "run"; argv: readonly string[]; unless?: Unless };

/** When it is no failure that a command fails: at all, or if it succeeds within some seconds. */
type Unless = "never mind" | "try again";

/** What a command said, and how it ended. */
export interface Ran {
  exit: number;
  out: string;
  err: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws PidexError `SERVICE_UNAVAILABLE`, `SERVICE_FAILED` */
export async function doStep(step: Step, environment: Environment): Promise<void> {
  if (step.does === "run") return runStep(step.argv, step.unless, environment);
  try {
    if (step.does === "delete") rmSync(step.path);
    else {
      mkdirSync(dirname(step.path), { recursive: true });
      writeFileSync(step.path, step.content, { mode: 0o600 });
    }
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const hint = "Look at who may write there; pidex watch needs no service.";
    throw new PidexError("SERVICE_FAILED", `${step.path}: ${cause.message}`, hint, { cause });
  }
}

/** launchd takes a while to let go of what it was told to. */
const TRIES = 20;
const PAUSE_MS = 250;

async function runStep(
  argv: readonly string[],
  unless: Unless | undefined,
  environment: Environment,
): Promise<void> {
  for (let left = unless === "try again" ? TRIES : 1; ; left--) {
    const ran = await runCommand(argv, environment);
    if (ran.exit === 0 || unless === "never mind") return;
    if (left === 1) throw failed(argv, ran);
    await pause(PAUSE_MS);
  }
}

/** Runs a command and waits for its end. @throws PidexError `SERVICE_UNAVAILABLE` when there is none of that name */
export function runCommand([name = "", ...args]: readonly string[], environment: Environment): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(name, args, { env: environment as NodeJS.ProcessEnv }, (error, out, err) => {
      const code = error?.code;
      if (!error) resolve({ exit: 0, out, err });
      else if (typeof code === "number") resolve({ exit: code, out, err });
      else reject(unavailable(`${name} could not be run: ${error.message}`, error));
    });
  });
}

function failed(argv: readonly string[], { exit, out, err }: Ran): PidexError {
  const said = (err.trim() || out.trim()).split("\n")[0] || `exit ${exit}`;
  if (isUnreachable(said)) return unavailable(`${argv[0]} cannot reach the user's services: ${said}`);
  const message = `${argv.join(" ")} failed: ${said}`;
  return new PidexError(
    "SERVICE_FAILED",
    message,
    `Run it yourself to see more; pidex watch needs no service.`,
  );
}

/** What systemctl says where there is no session of this user's, and launchctl where nobody sits at the screen. */
export function isUnreachable(said: string): boolean {
  return /connect to (user scope )?bus|No medium found|XDG_RUNTIME_DIR|not been booted with systemd|Domain does not support|Could not find domain/i.test(
    said,
  );
}

const UNREACHABLE_HINT =
  "Log in as the user itself, not by su or sudo; where there is no such thing, as in a container, start pidex watch with whatever starts programs there.";

function unavailable(message: string, cause?: unknown): PidexError {
  return new PidexError("SERVICE_UNAVAILABLE", message, UNREACHABLE_HINT, { cause });
}
