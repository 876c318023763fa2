/** Runs a program of pidex in a process of its own, which may take too long, fill its memory or crash. */
import { type ChildProcess, fork } from "node:child_process";
import { on } from "node:events";
import { basename } from "node:path";
import { assertNotUpgraded } from "../src/upgrade-check.ts";

export interface SandboxOptions {
  /** Flags for Node. */
  execArgv?: string[];
  /** Maximum time to wait for a message, in milliseconds. Default: no limit. */
  patienceMs?: number;
  signal: AbortSignal;
}

/** The process ended by itself. The message is how: a signal, or the exit code. */
export class ProcessEndedError extends Error {
  /** Whether it was killed because it sent no message in time. */
  readonly isLate: boolean;

  constructor(how: string, isLate: boolean) {
    super(how);
    this.isLate = isLate;
  }
}

/** Sent to the process whenever one of its messages has been read. */
const REQUEST_MORE = "more";

/** Longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/**
 * Starts a program, sends it a request, and yields its messages. The process is killed as soon as the reader stops, and has
 * ended when this returns or throws. While nobody waits for a message, it does not keep this process running.
 *
 * @param program its path from this folder, without extension
 * @throws ProcessEndedError; PidexError `UPGRADED`; the signal's reason when aborted; the error of `fork`
 */
export async function* runInSandbox<Message>(
  program: string,
  request: object,
  { execArgv = [], patienceMs = FOREVER_MS, signal }: SandboxOptions,
): AsyncGenerator<Message, never> {
  signal.throwIfAborted();
  assertNotUpgraded();
  const { NODE_OPTIONS: _, ...env } = process.env; // meant for this process only
  const child = fork(toUrl(program), [], {
    ...{ execArgv, env, signal, killSignal: "SIGKILL", serialization: "advanced" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const end = child.pid === undefined ? "error" : "close"; // without a pid, it could not be started
  const ended = new Promise<void>((resolve) => child.once(end, () => resolve()));
  const messages = on(child, "message", { close: ["close"] });
  child.on("error", () => {}); // the iterator throws it; aborting may emit one when that has ended
  child.send(request, () => {}); // a failure to send also ends the process
  let isLate = false;
  try {
    for (;;) {
      const timer = setTimeout(() => {
        isLate = true;
        child.kill("SIGKILL");
      }, patienceMs);
      setKeepAlive(child, true);
      const next = await messages.next().finally(() => clearTimeout(timer));
      setKeepAlive(child, false);
      if (next.done) throw new ProcessEndedError(child.signalCode ?? `exit ${child.exitCode}`, isLate);
      yield next.value[0];
      if (child.connected) child.send(REQUEST_MORE, () => {});
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    setKeepAlive(child, true);
    child.kill("SIGKILL");
    await ended;
  }
}

/** Node runs the source directly. In the built package this module is in a chunk folder, one level below the programs. */
function toUrl(program: string): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(isSource ? `./${program}.ts` : `../${basename(program)}.js`, import.meta.url);
}

function setKeepAlive(child: ChildProcess, isHeld: boolean): void {
  const hold = isHeld ? "ref" : "unref";
  child[hold]();
  child.channel?.[hold]();
}
