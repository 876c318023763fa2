/** Redirects a command's output to a file that appears only when it is complete. */
import { setImmediate } from "node:timers/promises";
import type { Redactor } from "../../library/internal.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { ExportFile } from "./export-file.ts";
import type { Io } from "./io.ts";
import { runInterruptibly } from "./run.ts";

interface Options {
  io: Io;
  /** Whether an existing file may be replaced. */
  replace: boolean;
  /** Masks and counts secrets; undefined leaves them unmasked. */
  redactor: Redactor | undefined;
}

/** Runs `work` with its output going to a new file, and reports the result on stderr. @throws as `ExportFile` and `work` */
export async function redirectToFile(
  path: string,
  { io, replace, redactor }: Options,
  work: (io: Io) => Promise<unknown>,
): Promise<void> {
  const file = new ExportFile(path, { replace });
  const hangUp = () => {
    file.discard();
    process.kill(process.pid, "SIGHUP"); // without a listener, the default action applies
  };
  process.once("SIGHUP", hangUp);
  try {
    await runInterruptibly("interrupted; nothing was exported", async (signal) => {
      // An incomplete export may contain secrets, and a second signal ends the process at once.
      signal.addEventListener("abort", () => file.discard());
      await work(ioInto(file, io, signal));
      signal.throwIfAborted();
      file.finish();
    });
  } finally {
    process.removeListener("SIGHUP", hangUp);
    file.close();
  }
  const masked = redactor ? describeMasked(redactor.count) : "secrets not masked";
  io.err(`Exported to ${toOneLine(file.path)} (${formatBytes(file.bytes)}), ${masked}\n`);
}

function describeMasked(count: number): string {
  return count === 0 ? "no likely secrets found" : `secrets masked in ${formatCount(count, "location")}`;
}

/** An export yields to signal handlers this often, in milliseconds. */
const YIELD_INTERVAL_MS = 50;

/** An `Io` that writes to the file, and pauses at intervals so that signals are handled. */
function ioInto(file: ExportFile, io: Io, signal: AbortSignal): Io {
  let lastPause = performance.now();
  return {
    ...io,
    isTerminal: false,
    style: (_, text) => text,
    out(text) {
      signal.throwIfAborted();
      file.write(text);
      if (performance.now() - lastPause < YIELD_INTERVAL_MS) return undefined;
      lastPause = performance.now();
      return setImmediate();
    },
  };
}
