/** Commands that change session metadata: name, label, pin, archive and tags are entries appended to the file. */
import { type SessionInfo, SessionManager } from "../../library/index.ts";
import { assertNoSubagentAtWork } from "../actions/at-work.ts";
import { assertInside, type WritesInside } from "../actions/inside.ts";
import { assertEntry, type Change, type Organised, organised, organisedNow } from "../actions/organise.ts";
import { field, oneLine, safeJson } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { titleOf } from "../format/titles.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { findAll, syncAgain, type WritingFlags } from "./writing.ts";

/** A metadata change, and how its result is printed. */
export interface Organising extends Pick<Change, "change" | "entryId"> {
  /** The state after the change, in a few words. */
  describe: (organised: Organised) => string;
}

/** Changes the metadata of sessions, and prints the result. */
export async function organise(
  io: Io,
  sessions: readonly string[],
  flags: WritingFlags,
  organising: Organising,
): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const found = await findAll(index, sessions);
    for (const info of found) assertNoSubagentAtWork(info);
    const inside = found.map((info) => assertInside(index, info.path));
    const done: [SessionInfo, Organised][] = [];
    try {
      for (const [n, info] of found.entries()) {
        const placed = { ...organising, ...(inside[n] as WritesInside), dryRun: flags.dryRun ?? false };
        done.push([info, organised(info, placed)]);
      }
    } finally {
      // If one change fails, the earlier ones are reported.
      if (!flags.dryRun) await syncAgain(io, index, flags);
      if (done.length > 0) await report(io, done, flags, organising.describe);
    }
    return EXIT.done;
  });
}

/** Prints the metadata of a session; nothing is written. */
export async function showOrganised(
  io: Io,
  session: string,
  flags: WritingFlags,
  {
    values,
    nothing,
    entryId,
  }: { values: (organised: Organised) => string[]; nothing: string; entryId?: string },
): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    const manager = SessionManager.open(info.path, { readOnly: true });
    if (entryId !== undefined) assertEntry(manager, entryId);
    const now = { ...organisedNow(info, manager, entryId), lines: [] };
    if (flags.json || flags.ndjson) await writeAnswers(io, [now], flags);
    else if (values(now).length === 0) io.err(`${nothing}\n`);
    else
      await io.out(
        values(now)
          .map((value) => `${oneLine(value)}\n`)
          .join(""),
      );
    return EXIT.done;
  });
}

async function report(
  io: Io,
  done: readonly [SessionInfo, Organised][],
  flags: WritingFlags,
  describe: (organised: Organised) => string,
): Promise<void> {
  if (flags.json || flags.ndjson) {
    return writeAnswers(
      io,
      done.map(([, organised]) => organised),
      flags,
    );
  }
  for (const [info, organised] of done) {
    if (flags.dryRun) await reportLines(io, organised);
    else if (io.isTerminal) {
      const same = organised.lines.length === 0 ? "unchanged: " : "";
      const title = titleOf({ ...info, name: organised.name });
      await io.out(
        `${io.style("dim", shortId(info.id))}  ${title}  ${same}${oneLine(describe(organised))}\n`,
      );
    } else await io.out(`${field(info.path)}\t${oneLine(describe(organised))}\n`);
  }
}

/** Prints the lines that a dry run would append. */
async function reportLines(io: Io, { path, lines, upgradedFrom }: Organised): Promise<void> {
  if (lines.length === 0) return io.err(`no changes to ${oneLine(path)}\n`);
  if (upgradedFrom) io.err(`${oneLine(path)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) return io.out(lines.map((line) => `${field(path)}\t${safeJson(line)}\n`).join(""));
  const all = lines.map((line) => `  ${safeJson(line)}\n`).join("");
  await io.out(`would append to ${oneLine(path)}:\n${all}`);
}

async function writeAnswers(
  io: Io,
  sessions: Organised[],
  { json, dryRun = false }: WritingFlags,
): Promise<void> {
  if (json) await writeJson(io, { dryRun, sessions });
  else
    await writeJsonLines(
      io,
      sessions.map((session) => ({ dryRun, ...session })),
    );
}
