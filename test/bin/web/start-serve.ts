/** The published `pidex serve`, in its own process, as a user starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";

export interface ServeProcess {
  readonly process: ChildProcess;
  /** The first line of stdout: a URL, or a sign-in link. */
  readonly line: string;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
  /** Stops it, like Ctrl+C. */
  stop(): Promise<void>;
}

export interface StartOptions {
  env?: NodeJS.ProcessEnv;
  /** When to stop it: after the test by default. */
  atEnd?: (end: () => Promise<void>) => void;
}

/** Starts `pidex serve`, and waits for its first line. @throws with its stderr if it prints none */
export async function startServe(
  argv: readonly string[],
  { env = {}, atEnd = onTestFinished }: StartOptions = {},
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [BUILT_PIDEX, "serve", ...argv], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  atEnd(stop);
  let out = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("\n")) resolve();
    });
    child.on("exit", () => reject(new Error(`it ended: ${said}`)));
  });
  const line = out.split("\n")[0] as string;
  return { process: child, line, stdout: () => out, stderr: () => said, stop };
}
