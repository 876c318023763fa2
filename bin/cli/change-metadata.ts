/** Commands that change session metadata: name, label, pin, archive and tags are entries appended to the file. */
import { type SessionInfo, SessionManager } from "../../library/index.ts";
import { assertNoActiveSubagent } from "../actions/active-sessions.ts";
import {
  applyMetadataChange,
  assertEntryExists,
  type MetadataChange,
  readMetadata,
} from "../actions/change-metadata.ts";
import { assertInsideRoots, type WriteBoundary } from "../actions/inside-roots.ts";
import type { SessionMetadata } from "../actions/session-metadata.ts";
import { escapeJson, toField, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { findSessions, syncAfterWrite, type WriteFlags } from "./write-flags.ts";

/** A metadata change, and how its result is printed. */
export interface MetadataCommand extends Pick<MetadataChange, "change" | "entryId"> {
  /** The state after the change, in a few words. */
  describe: (organized: SessionMetadata) => string;
}

/** Changes the metadata of sessions, and prints the result. */
export async function changeMetadata(
  io: Io,
  sessions: readonly string[],
  flags: WriteFlags,
  organizing: MetadataCommand,
): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const found = await findSessions(index, sessions);
    for (const info of found) assertNoActiveSubagent(info);
    const inside = found.map((info) => assertInsideRoots(index, info.path));
    const done: [SessionInfo, SessionMetadata][] = [];
    try {
      for (const [n, info] of found.entries()) {
        const placed = { ...organizing, ...(inside[n] as WriteBoundary), dryRun: flags.dryRun ?? false };
        done.push([info, applyMetadataChange(info, placed)]);
      }
    } finally {
      // If one change fails, the earlier ones are reported.
      if (!flags.dryRun) await syncAfterWrite(io, index, flags);
      if (done.length > 0) await report(io, done, flags, organizing.describe);
    }
    return EXIT.done;
  });
}

/** Prints the metadata of a session; nothing is written. */
export async function showMetadata(
  io: Io,
  session: string,
  flags: WriteFlags,
  command: { values: (now: SessionMetadata) => string | string[]; nothing: string; entryId?: string },
): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const { nothing, entryId } = command;
    const info = await index.find(session);
    const manager = SessionManager.open(info.path, { readOnly: true });
    if (entryId !== undefined) assertEntryExists(manager, entryId);
    const now = { ...readMetadata(info, manager, entryId), lines: [] };
    const values = [command.values(now)].flat();
    if (flags.json || flags.ndjson) await writeAnswers(io, [now], flags);
    else if (values.length === 0) io.err(`${nothing}\n`);
    else await io.out(values.map((value) => `${toOneLine(value)}\n`).join(""));
    return EXIT.done;
  });
}

async function report(
  io: Io,
  done: readonly [SessionInfo, SessionMetadata][],
  flags: WriteFlags,
  describe: (organized: SessionMetadata) => string,
): Promise<void> {
  if (flags.json || flags.ndjson) {
    const sessions = done.map(([, organized]) => organized);
    return writeAnswers(io, sessions, flags);
  }
  for (const [info, organized] of done) {
    if (flags.dryRun) await reportLines(io, organized);
    else if (io.isTerminal) {
      const same = organized.lines.length === 0 ? "unchanged: " : "";
      const title = getSessionTitle({ ...info, name: organized.name });
      await io.out(
        `${io.style("dim", shortId(info.id))}  ${title}  ${same}${toOneLine(describe(organized))}\n`,
      );
    } else await io.out(`${toField(info.path)}\t${toOneLine(describe(organized))}\n`);
  }
}

/** Prints the lines that a dry run would append. */
async function reportLines(io: Io, { path, lines, upgradedFrom }: SessionMetadata): Promise<void> {
  if (lines.length === 0) return io.err(`no changes to ${toOneLine(path)}\n`);
  if (upgradedFrom) io.err(`${toOneLine(path)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) return io.out(lines.map((line) => `${toField(path)}\t${escapeJson(line)}\n`).join(""));
  const all = lines.map((line) => `  ${escapeJson(line)}\n`).join("");
  await io.out(`would append to ${toOneLine(path)}:\n${all}`);
}

async function writeAnswers(
  io: Io,
  sessions: SessionMetadata[],
  { json, dryRun = false }: WriteFlags,
): Promise<void> {
  if (json) await writeJson(io, { dryRun, sessions });
  else
    await writeJsonLines(
      io,
      sessions.map((session) => ({ dryRun, ...session })),
    );
}
