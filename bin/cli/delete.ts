import { type Index, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { quoteForShell } from "../../library/internal.ts";
import { assertWritable } from "../actions/inside-roots.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { formatRelativeTime } from "../format/times.ts";
import { changeEach, findSessions, warnIfActive } from "./change-sessions.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { EXIT, indexCommand, printNotice } from "./run.ts";
import { formatRow } from "./table.ts";
import type { Deleted } from "./write-answers.ts";

/** `pidex delete`: moves sessions to the trash, or deletes them permanently. */
export const run = indexCommand(async (io, index, sessions, flags: Flags<"delete">) => {
  const { permanent = false, dryRun = false } = flags;
  const found = await findSessions(index, sessions);
  for (const info of found) {
    assertWritable(index, info);
    if (!dryRun) warnIfActive(io, info);
  }
  if (!dryRun && !flags.yes && !(await confirm(io, found, permanent))) {
    printNotice(io, "no sessions were deleted");
    return EXIT.failed;
  }
  const since = new Date();
  await changeEach(io, index, flags, {
    name: "deleted",
    items: found,
    async change({ id, path }): Promise<Deleted> {
      return { sessionId: id, ...(await SessionManager.delete(path, { permanent, dryRun })) };
    },
    async report({ along, ...session }, info) {
      const files = [session, ...along];
      if (!io.isTerminal)
        return io.out(files.map(({ path, to, trashPath }) => formatRow([path, to, trashPath])).join(""));
      const lines = files.map(({ path, trashPath }) => {
        const name = trashPath === undefined ? "" : ` as ${toOneLine(trashPath)}`;
        return `${io.style("dim", `  ${toOneLine(path)}${name}`)}\n`;
      });
      const sentence = describeDeletion(session.to, getTitleInSentence(info), dryRun);
      await io.out(`${sentence}\n${lines.join("")}`);
    },
    async afterReports(deleted) {
      if (io.isTerminal && !dryRun) await printUndo(io, index, deleted, { ...flags, since });
    },
  });
  return EXIT.done;
});

async function confirm(io: Io, sessions: readonly SessionInfo[], permanent: boolean): Promise<boolean> {
  if (!io.ask) {
    const hint = "Pass --yes to skip the prompt, or --dry-run to preview.";
    throw new PidexError("BAD_OPTION", "refusing to delete without confirmation", hint);
  }
  for (const info of sessions) {
    const about = `${getProjectName(info)} · ${formatRelativeTime(info.modified)} · ${formatCount(info.messageCount, "message")}`;
    io.err(`${io.style("dim", shortId(info.id))}  ${getTitleInSentence(info)}  ${io.style("dim", about)}\n`);
  }
  const what = sessions.length === 1 ? "this session" : `these ${formatCount(sessions.length, "session")}`;
  const question = permanent ? `Permanently delete ${what}?` : `Move ${what} to the trash?`;
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
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
    if (await index.isRestorable({ path, since, trashPath })) ids.push(sessionId);
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

function describeDeletion(to: Deleted["to"], title: string, dryRun: boolean): string {
  if (to === "nowhere") return `${dryRun ? "Would permanently delete" : "Permanently deleted"} "${title}"`;
  const trash = to === "trash command" ? "the trash with the trash command" : `the ${to}`;
  return `${dryRun ? "Would move" : "Moved"} "${title}" to ${trash}`;
}
