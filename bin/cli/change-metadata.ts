/** Commands that change session metadata: name, label, pin, archive and tags are entries appended to the file. */
import { type Index, type SessionInfo, SessionManager } from "../../library/index.ts";
import {
  applyMetadataChange,
  assertEntryExists,
  LABEL_HINT,
  type MetadataChange,
  readMetadata,
} from "../actions/change-metadata.ts";
import { assertWritable } from "../actions/inside-roots.ts";
import type { SessionMetadata } from "../actions/session-metadata.ts";
import { escapeJson, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { changeEach, findSessions, type WriteFlags, writeChanges } from "./change-sessions.ts";
import type { Io } from "./io.ts";
import { printNotice, withIndex } from "./run.ts";
import { formatRow } from "./table.ts";

/** A metadata change, and how its result is printed. */
export interface MetadataCommand extends Pick<MetadataChange, "entryId"> {
  /** Applies the change if needed. @returns the id of the appended entry */
  change: (manager: SessionManager, info: SessionInfo) => string | undefined;
  /** Called before sessions are changed. @throws what makes the command fail */
  check?: ((index: Index) => Promise<void>) | undefined;
  /** The hint for a word that names no session, in place of the usual one. Undefined keeps that one. */
  hintIfUnknown?: ((word: string) => string | undefined) | undefined;
  /** The state after the change, in a few words. */
  describe: (now: SessionMetadata) => string;
  /** What was done, as a sentence with the session as it is passed: `Pinned "Rounding" (019c4bef)`. */
  confirm: (session: string, now: SessionMetadata) => string;
  /** What could not be done, as the predicate of a sentence: `has no tag "till"`. Undefined: nothing. */
  describeSkipped?: (now: SessionMetadata) => string | undefined;
}

/** Changes the metadata of sessions, and prints the result. */
export async function changeMetadata(
  io: Io,
  sessions: readonly string[],
  flags: WriteFlags,
  { describe, confirm, describeSkipped, check, hintIfUnknown, change, entryId }: MetadataCommand,
): Promise<void> {
  const { dryRun } = flags;
  await withIndex(io, flags, async (index) => {
    const found = await findSessions(index, sessions, hintIfUnknown);
    await check?.(index);
    await changeEach(io, index, flags, {
      name: "sessions",
      items: found.map((info) => ({ info, ...assertWritable(index, info) })),
      change: ({ info, within }) =>
        applyMetadataChange(info, {
          change: (manager) => change(manager, info),
          ...(entryId !== undefined && { entryId }),
          within,
          dryRun,
        }),
      async report(now, { info }) {
        const session = `"${getTitleInSentence({ ...info, name: now.name })}" (${shortId(info.id)})`;
        const skipped = describeSkipped?.(now);
        if (skipped !== undefined) printNotice(io, `${session} ${skipped}`);
        if (dryRun) return reportLines(io, now);
        const state = toOneLine(describe(now));
        if (!io.isTerminal) return io.out(formatRow([info.path, state]));
        const isSame = now.lines.length === 0;
        await io.out(`${isSame ? `${session} is unchanged: ${state}` : toOneLine(confirm(session, now))}\n`);
      },
    });
  });
}

/** Prints the metadata of a session; nothing is written. */
export async function showMetadata(
  io: Io,
  session: string,
  flags: WriteFlags,
  command: { values: (now: SessionMetadata) => string | string[]; nothing: string; entryId?: string },
): Promise<void> {
  await withIndex(io, flags, async (index) => {
    const { nothing, entryId } = command;
    const info = await index.find(session);
    const manager = SessionManager.open(info.path, { readOnly: true });
    if (entryId !== undefined) assertEntryExists(manager, entryId, LABEL_HINT);
    const now = { ...readMetadata(info, manager, entryId), lines: [] };
    const values = [command.values(now)].flat();
    if (flags.json || flags.ndjson) await writeChanges(io, flags, "sessions", [now]);
    else if (values.length === 0) io.err(`${nothing}\n`);
    else await io.out(values.map((value) => `${toOneLine(value)}\n`).join(""));
  });
}

/** Prints the lines that a dry run would append. */
async function reportLines(io: Io, { path, lines, upgradedFrom }: SessionMetadata): Promise<void> {
  if (lines.length === 0) return io.err(`no changes to ${toOneLine(path)}\n`);
  if (upgradedFrom) io.err(`${toOneLine(path)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) return io.out(lines.map((line) => formatRow([path, escapeJson(line)])).join(""));
  const all = lines.map((line) => `  ${escapeJson(line)}\n`).join("");
  await io.out(`would append to ${toOneLine(path)}:\n${all}`);
}
