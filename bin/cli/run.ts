import { statSync } from "node:fs";
import {
  type ErrorCode,
  type Index,
  openIndex,
  PidexError,
  type SyncOptions,
  type SyncReport,
} from "../../library/index.ts";
import { counted, oneLine, safe } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { ProgressBar } from "./progress.ts";

/** Options that every command has. */
export interface CommonOptions {
  root?: string[];
  db?: string;
  sync?: boolean;
  json?: boolean;
  ndjson?: boolean;
}

/** Exit codes: documented in docs/cli.md. */
export const EXIT = { done: 0, failed: 1, wrongUse: 2, notFound: 3, interrupted: 130 } as const;

/** Ctrl+C during work that takes long. Its message is what the user reads of it. */
class Interrupted extends Error {}

const EXIT_OF: Partial<Record<ErrorCode, number>> = {
  NOT_FOUND: EXIT.notFound,
  NODE_TOO_OLD: EXIT.wrongUse,
  BAD_OPTION: EXIT.wrongUse,
  BAD_QUERY: EXIT.wrongUse,
  BAD_CURSOR: EXIT.wrongUse,
  BAD_SQL: EXIT.wrongUse,
  AMBIGUOUS: EXIT.wrongUse,
  NO_ROOTS: EXIT.wrongUse,
};

/** Opens the index, brings it up to date unless told not to, hands it to `work`, and closes it. */
export async function withIndex<T>(
  io: Io,
  options: CommonOptions,
  work: (index: Index) => Promise<T>,
): Promise<T> {
  const index = await openIndex({
    db: options.db,
    roots: options.root,
    onNotice: (text) => notice(io, text),
  });
  try {
    if (options.root) checkRoots(index.roots);
    if (options.sync !== false) await syncOrSay(io, index);
    return await work(index);
  } finally {
    await index.close();
  }
}

/** Syncs, and says of it what the user should know. @throws as `sync` */
export async function syncWithProgress(
  io: Io,
  index: Index,
  control: Pick<SyncOptions, "patienceMs"> = {},
): Promise<SyncReport> {
  const bar = new ProgressBar(io, "Indexing");
  const report = await interruptibly(INDEXING_STOPPED, (signal) =>
    index.sync({ ...control, onProgress: (progress) => bar.update(progress), signal }),
  ).finally(() => bar.clear());
  if (report.busy) {
    const behind = `${counted(report.behind, "file")} of ${report.files} may be behind`;
    notice(io, `another pidex is indexing: answers are as of what it has done so far, ${behind}`);
  }
  for (const { path, reason } of report.unlisted) notice(io, `${path} could not be looked into: ${reason}`);
  if (report.files === 0) notice(io, `no session files in ${index.roots.join(", ")}`);
  return report;
}

/** Syncs; where the database cannot be written, what it holds can still be asked, and it is said that it is behind. */
async function syncOrSay(io: Io, index: Index): Promise<void> {
  try {
    await syncWithProgress(io, index);
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "DATABASE_UNAVAILABLE") throw error;
    notice(io, `the index could not be brought up to date: ${error.message}. ${error.hint}`);
  }
}

const INDEXING_STOPPED = "stopped. What was indexed stays; the next pidex goes on from there.";

/**
 * Does work that Ctrl+C, or SIGTERM, stops where that does no harm, with a sentence on what has become of it; a second one ends the
 * process at once.
 */
export async function interruptibly<T>(
  stopped: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Interrupted(stopped));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  return work(stop.signal).finally(() => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, interrupt);
  });
}

export function checkRoots(roots: readonly string[]): void {
  for (const root of roots) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new PidexError("NO_ROOTS", `${root} is not a folder`, "Give --root a folder that holds sessions.");
  }
}

/** Says something on stderr that was not asked for. */
export function notice(io: Io, text: string): void {
  io.err(`${io.style("yellow", "note:")} ${oneLine(text)}\n`);
}

/** Says what went wrong and what to do, each on a line, and gives the exit code. */
export function fail(io: Io, error: unknown): number {
  if (error instanceof Interrupted) {
    io.err(`pidex: ${error.message}\n`);
    return EXIT.interrupted;
  }
  const known = error instanceof PidexError;
  const message = error instanceof Error ? error.message : String(error);
  io.err(`${io.style("red", "pidex:")} ${oneLine(message)}\n  ${known ? safe(error.hint) : UNEXPECTED}\n`);
  if (process.env.PIDEX_DEBUG && error instanceof Error) io.err(`${safe(error.stack ?? "")}\n`);
  return known ? (EXIT_OF[error.code] ?? EXIT.failed) : EXIT.failed;
}

const UNEXPECTED = "This should not happen. Run again with PIDEX_DEBUG=1 and report what it prints.";
