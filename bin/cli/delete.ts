import { type Index, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { shellWord } from "../../library/internal.ts";
import { assertNoSubagentAtWork } from "../actions/at-work.ts";
import { assertInside } from "../actions/inside.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { projectOf, shortId } from "../format/sessions.ts";
import { ago } from "../format/times.ts";
import { titleOf } from "../format/titles.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import type { Deleted } from "./organise-answers.ts";
import { EXIT, notice, withIndex } from "./run.ts";
import { findAll, syncAgain, tellIfAtWork, type WritingFlags } from "./writing.ts";

interface Flags extends WritingFlags {
  permanent?: boolean;
  yes?: boolean;
}

/** `pidex delete`: moves sessions to the trash, or deletes them for good. */
export async function run(io: Io, sessions: string[], flags: Flags): Promise<number> {
  const { permanent = false, dryRun = false } = flags;
  return withIndex(io, flags, async (index) => {
    const found = await findAll(index, sessions);
    for (const info of found) {
      assertNoSubagentAtWork(info);
      assertInside(index, info.path);
      if (!dryRun) tellIfAtWork(io, info);
    }
    if (!dryRun && !flags.yes && !(await isWanted(io, found, permanent))) {
      notice(io, "nothing was deleted");
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
      // Should one fail, those before it are gone, and told.
      if (!dryRun) await syncAgain(io, index, flags);
      if (deleted.length > 0) await tell(io, deleted, flags);
      if (io.isTerminal && !flags.json && !flags.ndjson && !dryRun)
        await sayUndo(io, index, deleted, { ...flags, since });
    }
    return EXIT.done;
  });
}

async function isWanted(io: Io, sessions: readonly SessionInfo[], permanent: boolean): Promise<boolean> {
  if (!io.ask) {
    const hint = "Add --yes to delete without being asked, or --dry-run to see what would go.";
    throw new PidexError("BAD_OPTION", "nobody is here to say that sessions may be deleted", hint);
  }
  for (const info of sessions) {
    const about = `${projectOf(info)} · ${ago(info.modified)} · ${counted(info.messageCount, "message")}`;
    io.err(`${io.style("dim", shortId(info.id))}  ${titleOf(info)}  ${io.style("dim", about)}\n`);
  }
  const what = sessions.length === 1 ? "it" : `these ${sessions.length}`;
  const question = permanent ? `Delete ${what} for good?` : `Move ${what} to the trash?`;
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim());
}

async function tell(
  io: Io,
  deleted: readonly Deleted[],
  { json, ndjson, dryRun = false }: Flags,
): Promise<void> {
  if (json) return writeJson(io, { dryRun, deleted });
  if (ndjson)
    return writeJsonLines(
      io,
      deleted.map((each) => ({ dryRun, ...each })),
    );
  for (const each of deleted.flatMap(({ along, ...session }) => [session, ...along])) {
    const { path, to, trashPath = "" } = each;
    if (!io.isTerminal) await io.out(`${field(path)}\t${to}\t${field(trashPath)}\n`);
    else
      await io.out(`${oneLine(path)}\n  ${whereTo(to, dryRun)}${trashPath && ` as ${oneLine(trashPath)}`}\n`);
  }
}

/** Says how to bring back what can be brought back. */
async function sayUndo(
  io: Io,
  index: Index,
  deleted: readonly Deleted[],
  { root = [], db, since }: Flags & { since: Date },
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
  const place = [...root.flatMap((folder) => ["--root", folder]), ...(db === undefined ? [] : ["--db", db])];
  io.err(`To undo: pidex restore ${[...ids, ...place].map((word) => shellWord(oneLine(word))).join(" ")}\n`);
}

function whereTo(to: Deleted["to"], dryRun: boolean): string {
  if (to === "nowhere") return dryRun ? "would be deleted for good" : "deleted for good";
  const trash = to === "trash command" ? "the trash, by the trash command" : `the ${to}`;
  return dryRun ? `would go to ${trash}` : `went to ${trash}`;
}
