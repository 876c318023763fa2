/** An index host in a child process, for runtimes that cannot load the database driver. What is sent is JSON. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "./host.ts";

/** @param node the Node that runs it */
export function startProcess(program: URL, node: string): Endpoint & { pid: number | undefined } {
  const { NODE_OPTIONS: _, ...env } = process.env; // meant for this process
  const child: ChildProcess = spawn(node, [fileURLToPath(program)], {
    env,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    windowsHide: true,
  });
  return {
    pid: child.pid,
    post(message) {
      if (child.connected) child.send(message, () => {}); // how the process ends reports that it could not be sent
    },
    listen(onMessage, onEnd) {
      child.on("message", onMessage);
      child.on("error", onEnd);
      child.once("exit", (code, signal) => onEnd(new Error(signal ?? `exit ${code}`)));
    },
    hold(isHeld) {
      const hold = isHeld ? "ref" : "unref";
      child[hold]();
      child.channel?.[hold]?.(); // which Bun lacks: there it goes with the process
    },
    /** The process ends by itself, once it has closed its service. */
    async end() {
      if (child.connected) child.disconnect();
    },
  };
}
