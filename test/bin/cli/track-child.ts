import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { waitUntil } from "../../until.ts";

/** Tracks a child process and its output so far. It is killed when the test ends. */
export function track(child: ChildProcessWithoutNullStreams) {
  const written = { out: "", err: "" };
  child.stdout.on("data", (data) => {
    written.out += data;
  });
  child.stderr.on("data", (data) => {
    written.err += data;
  });
  const exit = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    exit,
    written,
    untilWatching: () => waitUntil(`it watches: ${written.err}`, () => written.err.includes("watching")),
    stop: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return (await exit)[0];
    },
  };
}
