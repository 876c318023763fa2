/** The temporary folders of sample sessions. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

export interface DemoFolder {
  path: string;
  /** Removes the folder. */
  remove(): void;
}

/** The names say which process a folder belongs to. A kept folder belongs to none: no later process removes it. */
const OWNED = /^pidex-demo-(\d+)-\w{6}$/;
const ENDING = ["SIGHUP", "SIGTERM", "SIGINT"] as const;

export function createKeptFolder(): DemoFolder {
  return { path: mkdtempSync(join(tmpdir(), "pidex-demo-")), remove: () => {} };
}

/**
 * Creates a folder that is removed when this process ends, by a signal too. SIGKILL and crashes leave it to the next call, which removes the
 * folders of processes that no longer run.
 */
export function createOwnedFolder(): DemoFolder {
  removeAbandoned();
  const path = mkdtempSync(join(tmpdir(), `pidex-demo-${process.pid}-`));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  // Node exits without unwinding the stack if the terminal is gone: nothing can be written to it.
  process.on("exit", remove);
  const stops = ENDING.map((signal) => {
    const end = () => {
      // Otherwise another listener ends the process, such as the picker's, which first restores the terminal.
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, end);
    return () => process.off(signal, end);
  });
  return {
    path,
    remove() {
      for (const stop of stops) stop();
      process.off("exit", remove);
      remove();
    },
  };
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(OWNED.exec(name)?.[1]);
    if (!pid || isRunning(pid)) continue;
    const path = join(tmpdir(), name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const isOwn = stat?.isDirectory() && (!process.getuid || stat.uid === process.getuid());
    if (isOwn) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"; // EPERM: it runs as another user
  }
}
