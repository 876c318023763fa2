import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { join } from "node:path";

const MAX_OUTPUT_BYTES = 1 << 28;

/** Runs a script of this folder in a new Node process, and returns the JSON that it prints. */
export function runChild<Answer>(script: string, ...args: string[]): Answer {
  return JSON.parse(outputOf([join(import.meta.dirname, script), ...args])) as Answer;
}

/** Like `runChild`, with a heap limit of 12 GB; also returns the time from the start to the end of the process. */
export function timeChild<Answer>(
  env: NodeJS.ProcessEnv,
  script: string,
  ...args: string[]
): { answer: Answer; ms: number } {
  const began = performance.now();
  const flags = ["--max-old-space-size=12000"];
  const output = outputOf([...flags, join(import.meta.dirname, script), ...args], env);
  return { ms: performance.now() - began, answer: JSON.parse(output) as Answer };
}

function outputOf(args: string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, ...env },
  });
}

/** Milliseconds from the start to the end of a command; its output is discarded. */
export function timeCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const began = performance.now();
  const { status, error, signal } = spawnSync(command, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  const ms = performance.now() - began;
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${signal ?? `exit code ${status}`}`);
  return ms;
}

/** A script of this folder that answers one message at a time. */
export class ChildServer {
  readonly #child: ChildProcess;

  constructor(script: string, env: NodeJS.ProcessEnv, ...args: string[]) {
    this.#child = fork(join(import.meta.dirname, script), args, { env: { ...process.env, ...env } });
  }

  /** @throws Error if the process ends before it answers */
  request<Answer>(message: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`A benchmark process ended: ${code}`));
      this.#child.once("exit", onExit);
      this.#child.once("message", (answer) => {
        this.#child.off("exit", onExit);
        resolve(answer as Answer);
      });
      this.#child.send(message);
    });
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
