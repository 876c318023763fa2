import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";

/**
 * Tracks the index processes that start from now on.
 *
 * @returns a function that waits for their end, so that they write nothing after the test's folder is deleted
 */
export function indexProcesses(): () => Promise<void> {
  const started: ChildProcess[] = [];
  const keep = (message: unknown) => void started.push((message as { process: ChildProcess }).process);
  subscribe("child_process", keep);
  return async () => {
    unsubscribe("child_process", keep);
    const running = started.filter(
      (child) =>
        child.spawnargs?.some((arg) => /\bhost\.[jt]s$/.test(arg)) &&
        child.exitCode === null &&
        child.signalCode === null,
    );
    await Promise.all(running.map((child) => once(child, "exit")));
  };
}
