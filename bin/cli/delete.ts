import { type Index, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { quoteForShell } from "../../library/internal.ts";
import { assertNoActiveSubagent } from "../actions/active-sessions.ts";
import { assertInsideRoots } from "../actions/inside-roots.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";
import type { Deleted } from "./write-answers.ts";
import { findSessions, syncAfterWrite, warnIfActive } from "./write-flags.ts";

/** `pidex delete`: moves sessions to the trash, or deletes them permanently. */
export async function run(io: Io, sessions: string[], flags: Flags<"delete">): Promise<number> {
  const { permanent = false, dryRun = false } = flags;
  return withIndex(io, flags, async (index) => {
    const found = await findSessions(index, sessions);
    for (const info of found) {
      assertNoActiveSubagent(info);
      assertInsideRoots(index, info.path);
      if (!dryRun) warnIfActive(io, info);
    }
    if (!dryRun && !flags.yes && !(await confirm(io, found, permanent))) {
      printNotice(io, "no sessions were deleted");
      return EXIT.failed;
    }
    const deleted: Deleted[] = [];
    const since = new Date();
    try {
      for (const info of found) {
        const gone = await SessionManager.delete(info.path, { permanent, dryRun });
        deleted.push({ sessionId: info.id, ...gone });
      }
    } finally {
      // If one deletion fails, the earlier ones are reported.
      if (!dryRun) await syncAfterWrite(io, index, flags);
      if (deleted.length > 0) await report(io, deleted, flags);
      if (io.isTerminal && !flags.json && !flags.ndjson && !dryRun)
        await printUndo(io, index, deleted, { ...flags, since });
    }
    return EXIT.done;
  });
}

async function confirm(io: Io, sessions: readonly SessionInfo[], permanent: boolean): Promise<boolean> {
  if (!io.ask) {
    const hint = "Pass --yes to skip the prompt, or --dry-run to preview.";
    throw new PidexError("BAD_OPTION", "refusing to delete without confirmation", hint);
  }
  for (const info of sessions) {
    const about = `${getProjectName(info)} · ${formatRelativeTime(info.modified)} · ${formatCount(info.messageCount, "message")}`;
    io.err(`${io.style("dim", shortId(info.id))}  ${getSessionTitle(info)}  ${io.style("dim", about)}\n`);
  }
  const what = sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`;
  const question = permanent ? `Permanently delete ${what}?` : `Move ${what} to the trash?`;
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}

async function report(
  io: Io,
  deleted: readonly Deleted[],
  { json, ndjson, dryRun = false }: Flags<"delete">,
): Promise<void> {
  if (json) return writeJson(io, { dryRun, deleted });
  if (ndjson)
    return writeJsonLines(
      io,
      deleted.map((each) => ({ dryRun, ...each })),
    );
  for (const each of deleted.flatMap(({ along, ...session }) => [session, ...along])) {
    const { path, to, trashPath = "" } = each;
    if (!io.isTerminal) await io.out(`${toField(path)}\t${to}\t${toField(trashPath)}\n`);
    else
      await io.out(
        `${toOneLine(path)}\n  ${describeTarget(to, dryRun)}${trashPath && ` as ${toOneLine(trashPath)}`}\n`,
      );
  }
}

/** Prints the command that restores the deleted sessions, as far as they can be restored. */
async function printUndo(
  io: Io,
  index: Index,
  deleted: readonly Deleted[],
  { root = [], db, since }: Flags<"delete"> & { since: Date },
): Promise<void> {
  const ids: string[] = [];
  for (const { sessionId, path, trashPath, to } of deleted) {
    if (to === "nowhere") continue;
    const isRestorable = await index.isRestorable({
      path,
      since,
      ...(trashPath !== undefined && { trashPath }),
    });
    if (isRestorable) ids.push(sessionId);
  }
  if (ids.length === 0) return;
  const indexFlags = [
    ...root.flatMap((folder) => ["--root", folder]),
    ...(db === undefined ? [] : ["--db", db]),
  ];
  io.err(
    `To undo: pidex restore ${[...ids, ...indexFlags].map((word) => quoteForShell(toOneLine(word))).join(" ")}\n`,
  );
}

function describeTarget(to: Deleted["to"], dryRun: boolean): string {
  if (to === "nowhere") return dryRun ? "would be permanently deleted" : "permanently deleted";
  const trash = to === "trash command" ? "the trash by the trash command" : `the ${to}`;
  return dryRun ? `would be moved to ${trash}` : `moved to ${trash}`;
}
