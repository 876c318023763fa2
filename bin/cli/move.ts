import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { assertNotOpen } from "../../library/internal.ts";
import { assertNoActiveSubagent } from "../actions/active-sessions.ts";
import { getUpgradedHeader } from "../actions/change-metadata.ts";
import { assertInsideRoots } from "../actions/inside-roots.ts";
import { escapeJson, toField, toOneLine } from "../format/safe.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { syncAfterWrite, type WriteFlags, warnIfActive } from "./change-sessions.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { printNotice, withIndex } from "./run.ts";
import { formatRow } from "./table.ts";
import type { Moved } from "./write-answers.ts";

/** `pidex move`: changes the working directory of a session, for a project that was renamed. */
export async function run(io: Io, [session = "", cwd = ""]: string[], flags: WriteFlags): Promise<void> {
  const { dryRun = false } = flags;
  if (cwd === "")
    throw new PidexError("BAD_OPTION", "the folder name is empty", "Pass the project's new folder.");
  await withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    assertNoActiveSubagent(info);
    const to = resolve(cwd);
    if (!statSync(to, { throwIfNoEntry: false })?.isDirectory())
      printNotice(io, `folder ${to} does not exist`);
    assertInsideRoots(index, info.path);
    const moved = planMove(info, to);
    const inside = assertInsideRoots(index, moved.path);
    if (!dryRun && info.cwd !== to) {
      warnIfActive(io, info);
      assertNotOpen(info.path); // the program would go on in the old file
      moved.path = SessionManager.open(info.path, inside).moveTo(to);
    }
    await syncAfterWrite(io, index, flags);
    if (flags.json || flags.ndjson) await writeJson(io, { dryRun, moved });
    else if (dryRun) await reportPlan(io, moved);
    else if (!io.isTerminal) await io.out(`${toField(moved.path)}\n`);
    else {
      const title = `"${getTitleInSentence(info)}"`;
      const [before, after] = info.cwd === to ? ["", " is already in"] : ["Moved ", " to"];
      await io.out(`${before}${title}${after} ${toOneLine(to)}\n`);
    }
  });
}

/** The result that `moveTo` would have. */
function planMove(info: SessionInfo, to: string): Moved {
  const manager = SessionManager.open(info.path, { readOnly: true });
  const { header, upgradedFrom } = getUpgradedHeader(manager);
  return {
    sessionId: info.id,
    from: info.path,
    path: manager.moveTo(to, { dryRun: true }),
    header: JSON.stringify({ ...header, cwd: to }),
    ...(upgradedFrom && { upgradedFrom }),
  };
}

async function reportPlan(io: Io, { from, path, header, upgradedFrom }: Moved): Promise<void> {
  if (upgradedFrom) io.err(`${toOneLine(from)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) return io.out(formatRow([from, path, escapeJson(header)]));
  const target = from === path ? "" : `would move the file to ${toOneLine(path)}\n`;
  await io.out(`would change the header of ${toOneLine(from)} to:\n  ${escapeJson(header)}\n${target}`);
}
