import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { join } from "node:path";

const MAX_OUTPUT_BYTES = 1 << 28;

/** Runs a script of this folder in a new Node process, and returns the JSON that it prints. */
export function runChild<Result>(script: string, ...args: string[]): Result {
  return JSON.parse(runNode([join(import.meta.dirname, script), ...args])) as Result;
}

/** Like `runChild`, with a heap limit of 12 GB; also returns the time from the start to the end of the process. */
export function timeChild<Result>(
  env: NodeJS.ProcessEnv,
  script: string,
  ...args: string[]
): { result: Result; ms: number } {
  const startedAt = performance.now();
  const flags = ["--max-old-space-size=12000"];
  const output = runNode([...flags, join(import.meta.dirname, script), ...args], env);
  return { ms: performance.now() - startedAt, result: JSON.parse(output) as Result };
}

/** Runs Node, and returns its output. */
function runNode(args: string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, ...env },
  });
}

/** Milliseconds from the start to the end of a command; its output is discarded. */
export function timeCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const startedAt = performance.now();
  const { status, error, signal } = spawnSync(command, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  const ms = performance.now() - startedAt;
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${signal ?? `exit code ${status}`}`);
  return ms;
}

/** A script of this folder that replies to one message at a time. */
export class ChildServer {
  readonly #child: ChildProcess;

  constructor(script: string, env: NodeJS.ProcessEnv, ...args: string[]) {
    this.#child = fork(join(import.meta.dirname, script), args, { env: { ...process.env, ...env } });
  }

  /** @throws Error if the process exits before it replies */
  request<Result>(message: object): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`A benchmark process exited with ${code}`));
      this.#child.once("exit", onExit);
      this.#child.once("message", (result) => {
        this.#child.off("exit", onExit);
        resolve(result as Result);
      });
      this.#child.send(message);
    });
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
