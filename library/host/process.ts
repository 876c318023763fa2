/** An index host in a child process: for runtimes that cannot load the database driver, and for work that outlives its caller. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "./host.ts";

/**
 * @param node path of the Node executable that runs the program
 * @param options.detached whether Ctrl+C in the terminal of this process does not reach it
 */
export function startProcess(
  program: URL,
  node: string,
  { detached = false }: { detached?: boolean } = {},
): Endpoint & { pid: number | undefined } {
  const { NODE_OPTIONS: _, ...env } = process.env; // they are meant for this process only
  const child: ChildProcess = spawn(node, [fileURLToPath(program)], {
    env,
    detached,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    windowsHide: true,
  });
  return {
    pid: child.pid,
    post(message) {
      if (child.connected) child.send(message, () => {}); // if it could not be sent, `onEnd` reports why
    },
    listen(onMessage, onEnd) {
      child.on("message", onMessage);
      child.on("error", onEnd);
      child.once("exit", (code, signal) => onEnd(new Error(signal ?? `exit ${code}`)));
    },
    setKeepAlive(isHeld) {
      const hold = isHeld ? "ref" : "unref";
      child[hold]();
      child.channel?.[hold]?.(); // Bun lacks these methods; there, the process's own suffice
    },
    /** Does not wait: the process ends by itself once it has closed its service. */
    async end() {
      if (child.connected) child.disconnect();
    },
  };
}
