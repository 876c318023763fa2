/** What would go to a pipe goes into a file, which is there when all of it is. */
import { setImmediate } from "node:timers/promises";
import type { Redactor } from "../../library/internal.ts";
import { bytes } from "../format/bytes.ts";
import { counted, oneLine } from "../format/safe.ts";
import { ExportFile } from "./export-file.ts";
import type { Io } from "./io.ts";
import { interruptibly } from "./run.ts";

interface Options {
  io: Io;
  /** Whether a file that is there may be replaced. */
  replace: boolean;
  /** What masks secrets, and counted them at the end; none leaves them in. */
  redactor: Redactor | undefined;
}

/** Has `work` write into a new file, and says on stderr what came of it. @throws as `ExportFile`, and what `work` throws */
export async function intoFile(
  path: string,
  { io, replace, redactor }: Options,
  work: (io: Io) => Promise<unknown>,
): Promise<void> {
  const file = new ExportFile(path, { replace });
  const stopListening = discardOnSignals(file);
  try {
    await interruptibly("stopped: nothing was exported.", async (signal) => {
      await work(ioInto(file, io, signal));
      signal.throwIfAborted();
      file.finish();
    });
  } finally {
    stopListening();
    file.close();
  }
  const masked = redactor ? `secrets masked in ${counted(redactor.count, "place")}` : "secrets left in";
  io.err(`wrote ${bytes(file.bytes)} to ${oneLine(file.path)}, ${masked}\n`);
}

/** What `interruptibly` hears too; a second one ends the process at once, and then the file is gone already. */
const STOPPING = ["SIGINT", "SIGTERM"] as const;

/** Leaves no half of an export behind when a signal ends the process: what was written may hold secrets. */
function discardOnSignals(file: ExportFile): () => void {
  const discard = () => file.discard();
  const hangUp = () => {
    file.discard();
    process.kill(process.pid, "SIGHUP"); // now that nobody listens, it does what it always does
  };
  for (const signal of STOPPING) process.once(signal, discard);
  process.once("SIGHUP", hangUp);
  return () => {
    for (const signal of STOPPING) process.removeListener(signal, discard);
    process.removeListener("SIGHUP", hangUp);
  };
}

/** How long an export keeps the process to itself. */
const PAUSE_EVERY_MS = 50;

/** What would go to a pipe goes into the file, with pauses in which signals are heard. */
function ioInto(file: ExportFile, io: Io, signal: AbortSignal): Io {
  let lastPause = performance.now();
  return {
    ...io,
    isTerminal: false,
    style: (_, text) => text,
    out(text) {
      signal.throwIfAborted();
      file.write(text);
      if (performance.now() - lastPause < PAUSE_EVERY_MS) return undefined;
      lastPause = performance.now();
      return setImmediate();
    },
  };
}
