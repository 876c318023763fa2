/** Shared by the commands that write sessions. */
import { type Index, PidexError, type SessionInfo } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { secondsSinceWritten } from "../actions/active-sessions.ts";
import { formatCount } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { printNotice } from "./run.ts";

/** The options of all commands that write. */
export type WriteFlags = Flags<"move">;

/**
 * The named sessions without duplicates. All are found before the first is changed.
 *
 * @param hintIfUnknown the hint of the error for a word that names no session, in place of the usual one. Undefined keeps that one.
 */
export async function findSessions(
  index: Index,
  sessions: readonly string[],
  hintIfUnknown?: (word: string) => string | undefined,
): Promise<SessionInfo[]> {
  const found = new Map<string, SessionInfo>();
  for (const session of sessions) {
    const info = await index.find(session).catch((error: unknown) => {
      const isUnknown = error instanceof PidexError && error.code === "NOT_FOUND" && session !== "@last";
      const hint = isUnknown && hintIfUnknown?.(session);
      if (!isUnknown || !hint) throw error;
      throw new PidexError(error.code, error.message, hint);
    });
    found.set(info.path, info);
  }
  return [...found.values()];
}

interface Changes<Item, Result extends object> {
  /** The name of the results in JSON. */
  name: string;
  items: Iterable<Item>;
  change(item: Item): Result | Promise<Result>;
  /** Prints a result as text. */
  report(result: Result, item: Item): unknown;
  /** Called after all results have been printed as text. */
  afterReports?(results: readonly Result[]): unknown;
}

/** Changes items in turn, syncs, and prints the results. If one change fails, the earlier ones are reported. */
export async function changeEach<Item, Result extends object>(
  io: Io,
  index: Index,
  flags: WriteFlags,
  { name, items, change, report, afterReports }: Changes<Item, Result>,
): Promise<void> {
  const done: [Result, Item][] = [];
  try {
    for (const item of items) done.push([await change(item), item]);
  } finally {
    await syncAfterWrite(io, index, flags);
    const results = done.map(([result]) => result);
    if (flags.json || flags.ndjson) {
      if (done.length > 0) await writeChanges(io, flags, name, results);
    } else {
      for (const [result, item] of done) await report(result, item);
      await afterReports?.(results);
    }
  }
}

/** Prints results as JSON. */
export async function writeChanges(
  io: Io,
  { json, dryRun = false }: WriteFlags,
  name: string,
  results: readonly object[],
): Promise<void> {
  if (json) return writeJson(io, { dryRun, [name]: results });
  const lines = results.map((each) => ({ dryRun, ...each }));
  await writeJsonLines(io, lines);
}

/** Syncs after a write. A failure is only a notice, because the write has succeeded. */
export async function syncAfterWrite(io: Io, index: Index, { sync, dryRun }: WriteFlags): Promise<void> {
  if (sync === false || dryRun) return;
  try {
    await index.sync();
  } catch (error) {
    const reason = toMessage(error);
    printNotice(io, `the change was saved, but the index was not updated: ${reason}`);
  }
}

/** Warns if the session was written so recently that an agent may have it open. */
export function warnIfActive(io: Io, session: SessionInfo): void {
  const seconds = secondsSinceWritten(session);
  if (seconds === undefined) return;
  const ago = formatCount(seconds, "second");
  printNotice(
    io,
    `${session.path} was written ${ago} ago; an agent that has this session open will keep writing to the old file`,
  );
}
