import { existsSync, statSync } from "node:fs";
import {
  type ErrorCode,
  type Index,
  type IndexQueries,
  type OpenIndexOptions,
  openHub,
  openIndex,
  PidexError,
  type SyncOptions,
  type SyncProgress,
  type SyncReport,
} from "../../library/index.ts";
import { findHome, getDatabasePath, toMessage } from "../../library/internal.ts";
import { toOneLine, toSafe } from "../format/safe.ts";
import { wrap, wrapLines } from "../format/text.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { ProgressBar } from "./progress.ts";

/** Exit codes: documented in docs/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usageError: 2,
  notFound: 3,
  budgetExceeded: 4,
  budgetWarning: 5,
  interrupted: 130,
} as const;

/** Thrown on Ctrl+C; its message is printed. */
class Interrupted extends Error {}

const EXIT_OF: Partial<Record<ErrorCode, number>> = {
  NOT_FOUND: EXIT.notFound,
  CITATION_CHANGED: EXIT.notFound,
  NODE_TOO_OLD: EXIT.usageError,
  BAD_OPTION: EXIT.usageError,
  BAD_QUERY: EXIT.usageError,
  BAD_CURSOR: EXIT.usageError,
  BAD_SQL: EXIT.usageError,
  AMBIGUOUS: EXIT.usageError,
  NO_ROOTS: EXIT.usageError,
};

/**
 * Opens the index, syncs it unless `sync` is false, runs `work`, and closes the index.
 *
 * @param minNewest of a sync that takes long, runs `work` as soon as this many of the newest sessions are indexed, and not again
 */
export async function withIndex<T>(
  io: Io,
  options: CommonOptions,
  work: (index: Index, state: IndexState) => Promise<T>,
  open: (options: OpenIndexOptions) => Promise<Index> = openIndex,
  minNewest?: number | undefined,
): Promise<T> {
  const isFirstUse = !existsSync(options.db ?? getDatabasePath());
  const index = await open({
    db: options.db,
    roots: options.root,
    onNotice: (text) => printNotice(io, text),
  });
  try {
    if (options.root) assertRootsExist(index.roots);
    firstUses.set(index, isFirstUse);
    let early: { result: T } | undefined;
    const onNewest = async () => {
      early = { result: await work(index, { isPartial: true }) };
    };
    const newest = minNewest === undefined ? undefined : { count: minNewest, onNewest };
    if (options.sync !== false) await syncOrWarn(io, index, newest);
    return early ? early.result : await work(index, { isPartial: false });
  } finally {
    await index.close();
  }
}

/** Opens the hub if the flags or PIDEX_HUB say so, otherwise the index as `withIndex`, runs `work`, and closes what it opened. */
export async function withIndexOrHub<T>(
  io: Io,
  options: CommonOptions & HubFlag,
  work: (index: IndexQueries, state: IndexState) => Promise<T>,
  minNewest?: number,
): Promise<T> {
  if (!usesHub(options)) return withIndex(io, options, work, openIndex, minNewest);
  const hub = await openHub();
  try {
    return await work(hub, { isPartial: false });
  } finally {
    await hub.close();
  }
}

/** What a command can know of the index. */
export interface IndexState {
  /** Whether only the newest sessions are indexed so far. */
  isPartial: boolean;
}

/** The newest sessions of a sync that takes long. */
interface Newest {
  count: number;
  /** Called once, when so many are indexed. The sync goes on when it returns. */
  onNewest: () => Promise<void>;
}

export interface HubFlag {
  hub?: boolean | undefined;
}

/** Whether a command uses the hub. PIDEX_HUB does not apply if the flags say which files to index. */
export function usesHub({ hub, root, db }: Pick<CommonOptions, "root" | "db"> & HubFlag): boolean {
  return hub ?? (process.env.PIDEX_HUB === "1" && root === undefined && db === undefined);
}

type IndexCommand<Flags, T> = (io: Io, index: Index, args: string[], flags: Flags) => Promise<T>;

/** A command on an index that is synced first. */
export function indexCommand<Flags extends CommonOptions, T>(work: IndexCommand<Flags, T>) {
  return (io: Io, args: string[], flags: Flags): Promise<T> =>
    withIndex(io, flags, (index) => work(io, index, args, flags));
}

/**
 * A command on the hub, or on an index that is synced first.
 *
 * @param minNewest see `withIndex`
 */
export function queryCommand<Flags extends CommonOptions & HubFlag, T>(
  work: (io: Io, index: IndexQueries, args: string[], flags: Flags, state: IndexState) => Promise<T>,
  minNewest?: (io: Io, flags: Flags) => number | undefined,
) {
  return (io: Io, args: string[], flags: Flags): Promise<T> =>
    withIndexOrHub(io, flags, (index, state) => work(io, index, args, flags, state), minNewest?.(io, flags));
}

/** The local index, for what needs session files. @throws PidexError `BAD_OPTION` for a hub */
export function requireLocalIndex(index: IndexQueries, what: string): Index {
  if ("sync" in index) return index as Index;
  const hint =
    "Remove --hub (or unset PIDEX_HUB) to search this machine; run pidex pull for copies of other machines' files.";
  throw new PidexError("BAD_OPTION", `${what} reads session files, which a hub does not have`, hint);
}

/** A command on an index that is not synced first, or only by the command itself. */
export function unsyncedCommand<Flags extends CommonOptions, T>(work: IndexCommand<Flags, T>) {
  return (io: Io, args: string[], flags: Flags): Promise<T> =>
    withIndex(io, { ...flags, sync: false }, (index) => work(io, index, args, flags));
}

/** Syncs with a progress bar and notices. @throws as `sync` */
export async function syncWithProgress(
  io: Io,
  index: Index,
  control: Pick<SyncOptions, "patienceMs"> & { newest?: Newest | undefined } = {},
): Promise<SyncReport> {
  const { newest, ...options } = control;
  let awaited = newest;
  const report = await runWithBar(io, "Indexing", INDEXING_INTERRUPTED, (signal, bar) =>
    index.sync({
      ...options,
      onProgress: async (progress) => {
        if (awaited && (progress.index?.indexed ?? 0) >= awaited.count && isLong(progress)) {
          const { onNewest } = awaited;
          awaited = undefined;
          bar.clear();
          await onNewest();
        }
        bar.update(progress, newest && !awaited ? "Reading older sessions" : undefined);
      },
      signal,
    }),
  );
  if (newest && !awaited) printNotice(io, `all ${report.files} session files are indexed now`);
  if (report.busy && report.behind > 0) {
    const behind = `${report.behind} of ${report.files} files`;
    printNotice(io, `another pidex process is indexing; results may be out of date for ${behind}`);
  }
  noteUnlisted(io, report);
  if (report.files === 0) noticeNoSessions(io, index);
  return report;
}

/** Whether the rest of a sync takes longer than a user wants to wait for a list. */
function isLong({ filesDone, filesTotal, bytesDone, bytesTotal }: SyncProgress): boolean {
  return bytesTotal - bytesDone > 64 << 20 || filesTotal - filesDone > 1_000;
}

/** Syncs. If the database cannot be written, prints a notice: its contents can still be queried. */
async function syncOrWarn(io: Io, index: Index, newest: Newest | undefined): Promise<void> {
  try {
    await syncWithProgress(io, index, { newest });
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "DATABASE_UNAVAILABLE") throw error;
    printNotice(io, `cannot update the index: ${error.message}. ${error.hint}`);
  }
}

const INDEXING_INTERRUPTED = "interrupted; the next run continues where indexing stopped";

/** Runs work as `runInterruptibly`, with a progress bar that is erased at the end. */
export function runWithBar<T>(
  io: Io,
  activity: string,
  stopped: string,
  work: (signal: AbortSignal, bar: ProgressBar) => Promise<T>,
): Promise<T> {
  const bar = new ProgressBar(io, activity);
  return runInterruptibly(stopped, (signal) => work(signal, bar)).finally(() => bar.clear());
}

/**
 * Runs work that Ctrl+C or SIGTERM aborts at a safe point.
 *
 * @param stopped the message printed when the work is aborted
 */
export function runInterruptibly<T>(stopped: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runUntilSignal(["SIGINT", "SIGTERM"], work, new Interrupted(stopped));
}

/** Runs work with a signal that the first of some process signals aborts. A second one ends the process at once. */
export async function runUntilSignal<T>(
  names: readonly NodeJS.Signals[],
  work: (signal: AbortSignal) => Promise<T>,
  reason?: Error,
): Promise<T> {
  const stop = new AbortController();
  const end = () => stop.abort(reason);
  for (const name of names) process.once(name, end);
  return work(stop.signal).finally(() => {
    for (const name of names) process.removeListener(name, end);
  });
}

/** @throws PidexError `NO_ROOTS` if a root is not a folder */
export function assertRootsExist(roots: readonly string[]): void {
  for (const root of roots) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new PidexError(
      "NO_ROOTS",
      `${root} is not a folder`,
      "Pass a folder that contains sessions to --root.",
    );
  }
}

/** Prints a notice for each folder that could not be read. */
export function noteUnlisted(io: Io, { unlisted }: Pick<SyncReport, "unlisted">): void {
  for (const { path, reason } of unlisted) printNotice(io, `cannot read ${path}: ${reason}`);
}

/** Prefix of the temporary folders that are read by default; nothing else in the temporary folder is. */
const TEMPORARY_RUNS = /[\\/]pi-subagent-session-$/;

/** Whether the database of an open index did not exist before. */
const firstUses = new WeakMap<Index, boolean>();

/** Says where no sessions were found. If the default folders have none, also what to do: in a block, and in a line once an index exists. */
export function noticeNoSessions(io: Io, index: Index): void {
  withoutSessions.add(index);
  const runs = index.realRoots().find((prefix) => TEMPORARY_RUNS.test(prefix));
  if (runs === undefined) {
    printNotice(io, `no session files in ${index.roots.join(", ")}`);
    return;
  }
  if (firstUses.get(index) === false) {
    printNotice(io, "no session files; pidex doctor says where they are searched, pidex demo shows samples");
    return;
  }
  const home = findHome();
  const folders = [...index.roots.slice(0, -1), `${runs}*`].map((folder) =>
    home !== undefined && folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder,
  );
  io.err(`No session files found in:
${folders.map((folder) => `  ${toOneLine(folder)}\n`).join("")}To see what pidex does, try sample sessions: pidex demo
If your sessions are elsewhere: set PIDEX_ROOTS, or pidex config set roots FOLDER
`);
}

const withoutSessions = new WeakSet<IndexQueries>();

/** Whether a notice has said that there are no session files, so that nothing can match. */
export function hasNoSessions(index: IndexQueries): boolean {
  return withoutSessions.has(index);
}

/** Prints a notice on stderr. */
export function printNotice(io: Io, text: string): void {
  writeStyled(io, "yellow", "note:", toOneLine(text));
}

/** Writes a text after a colored word to stderr; on a terminal, wrapped between words. */
function writeStyled(io: Io, color: "yellow" | "red", word: string, text: string): void {
  const whole = `${word} ${text}\n`;
  const wrapped = io.showsProgress ? wrapLines(whole, io.columns) : whole;
  io.err(io.style(color, word) + wrapped.slice(word.length));
}

/** Prints an error and its hint, one line each. @returns the exit code */
export function reportError(io: Io, error: unknown, argv: readonly string[] = []): number {
  if (error instanceof Interrupted) {
    io.err(`pidex: ${error.message}\n`);
    return EXIT.interrupted;
  }
  const known = error instanceof PidexError;
  const message = withFlagName(toMessage(error), argv) + describeJsonFields(error, argv);
  writeStyled(
    io,
    "red",
    "pidex:",
    `${toOneLine(message)}\n${formatHint(io, known ? toSafe(error.hint) : UNEXPECTED)}`,
  );
  if (process.env.PIDEX_DEBUG && error instanceof Error) io.err(`${toSafe(error.stack ?? "")}\n`);
  return known ? (EXIT_OF[error.code] ?? EXIT.failed) : EXIT.failed;
}

/** Hints are one line, for the commands in them to be copied, except long lists of names. */
const MAX_NAMES_IN_LINE = 10;
const LIST_COLUMNS = 80;

function formatHint(io: Io, hint: string): string {
  if (hint.includes("\n") || hint.split(", ").length <= MAX_NAMES_IN_LINE) return `  ${hint}`;
  return wrap(hint, Math.min(io.columns, LIST_COLUMNS) - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** A message that begins with an option of the library, with the flag that was used instead: `--time-zone: …`. */
function withFlagName(message: string, argv: readonly string[]): string {
  return message.replace(/^([a-z][A-Za-z]*): /, (start, name: string) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return argv.some((word) => word === flag || word.startsWith(`${flag}=`)) ? `${flag}: ` : start;
  });
}

/** For the fields of `--json` in a command that has none, and took them for a session or entry: `show @last --json id,title`. */
function describeJsonFields(error: unknown, argv: readonly string[]): string {
  if (!(error instanceof PidexError) || error.code !== "NOT_FOUND") return "";
  const [flag, fields = ""] = argv.slice(argv.findIndex((word) => word === "--json" || word === "--ndjson"));
  const isTaken = fields.includes(",") && error.message.includes(JSON.stringify(fields));
  return isTaken ? `; ${flag} of this command takes no fields` : "";
}

const UNEXPECTED = "This is a bug in pidex. Run again with PIDEX_DEBUG=1 and report the output.";
