import { type Index, PidexError, type SyncReport } from "../../library/index.ts";
import { number } from "../format/numbers.ts";
import { counted, oneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { ProgressBar } from "./progress.ts";
import { type CommonOptions, EXIT, notice, withIndex } from "./run.ts";
import type { Watched } from "./watch-answers.ts";

interface WatchFlags extends CommonOptions {
  poll?: boolean;
  /** Seconds. */
  interval: number;
  quiet?: boolean;
}

/** `pidex watch`: keeps the index up to date until Ctrl+C or SIGTERM, and tells of each sync that found something. */
export function run(io: Io, _: string[], flags: WatchFlags): Promise<number> {
  return withIndex(io, { ...flags, sync: false }, async (index) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    for (const signal of SIGNALS) process.once(signal, end);
    try {
      await watch(io, index, flags, stop.signal);
    } finally {
      for (const signal of SIGNALS) process.removeListener(signal, end);
    }
    io.err("pidex: stopped watching\n");
    return EXIT.done;
  });
}

/** Watches until it is aborted. */
export async function watch(io: Io, index: Index, flags: WatchFlags, signal: AbortSignal): Promise<void> {
  const teller = new Teller(io, flags);
  let bar: ProgressBar | undefined;
  let lastProblem = "";
  /** Ends it: what runs is the version from before. A service is started again then. */
  const upgraded = new AbortController();
  const clearBar = () => {
    bar?.clear();
    bar = undefined;
  };
  try {
    const watching = await index.watch({
      signal: AbortSignal.any([signal, upgraded.signal]),
      poll: flags.poll ?? false,
      intervalMs: flags.interval * 1000,
      onProgress(progress) {
        bar ??= new ProgressBar(io, "Indexing"); // one a sync: most are too short to show one
        bar.update(progress);
      },
      onSynced(report, { paths, ms }) {
        clearBar();
        lastProblem = "";
        if (!flags.quiet && foundSomething(report)) teller.tell(watched(report, ms, paths));
      },
      onNotice(text) {
        clearBar();
        notice(io, text);
      },
      onProblem(error) {
        clearBar();
        if (error instanceof PidexError && error.code === "UPGRADED") return upgraded.abort(error); // no trying again helps
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== lastProblem) notice(io, `not up to date: ${problem}; it is tried again`);
        lastProblem = problem;
      },
    });
    if (!flags.quiet) io.err(`pidex: watching ${index.roots.map(oneLine).join(", ")}; Ctrl+C stops\n`);
    await watching.closed;
    upgraded.signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearBar();
  }
}

/** What ends it as it should: Ctrl+C, and what services are stopped by. A second one ends the process at once. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const CHANGES = ["added", "appended", "reindexed", "moved", "forgotten"] as const;

/** Files that cannot be read don't count: they are looked at in vain each time. */
function foundSomething(report: SyncReport): boolean {
  return CHANGES.some((what) => report[what] > 0);
}

function watched(report: SyncReport, ms: number, paths: readonly string[] | undefined): Watched {
  const { added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead } = report;
  return {
    time: new Date().toISOString(),
    ms: Math.round(ms),
    ...(paths && { paths: [...paths] }),
    ...{ added, appended, reindexed, moved, forgotten, faulty, linesRead, bytesRead },
  };
}

/** Tells of syncs as long as somebody reads it: what is kept for a reader that is stuck would fill the memory in time. */
class Teller {
  readonly #io: Io;
  readonly #flags: WatchFlags;
  #isStuck = false;
  #untold = 0;

  constructor(io: Io, flags: WatchFlags) {
    this.#io = io;
    this.#flags = flags;
  }

  tell(one: Watched): void {
    if (this.#isStuck) {
      this.#untold++;
      return;
    }
    const written = this.#write(one);
    if (!written) return;
    this.#isStuck = true;
    void written.then(() => {
      this.#isStuck = false;
      if (this.#untold > 0)
        notice(this.#io, `${counted(this.#untold, "sync")} not told of: nobody was reading`);
      this.#untold = 0;
    });
  }

  #write(one: Watched): Promise<void> | undefined {
    if (this.#flags.json) return writeJson(this.#io, one);
    if (this.#flags.ndjson) return writeJsonLines(this.#io, [one]);
    const found = [...CHANGES, "faulty" as const].filter((what) => one[what] > 0);
    const changes = found.map((what) => `${number(one[what])} ${what}`).join(", ");
    const lines = one.linesRead > 0 ? `: ${counted(one.linesRead, "line")}` : "";
    return this.#io.out(`${clock(new Date(one.time))} ${changes}${lines} (${number(one.ms)} ms)\n`);
  }
}

/** The time of day where the user is. */
function clock(date: Date): string {
  return date.toLocaleTimeString("sv-SE");
}
