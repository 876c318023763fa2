import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { assertNoActiveSubagent } from "../actions/active-sessions.ts";
import { getUpgradedHeader } from "../actions/change-metadata.ts";
import { assertInsideRoots, type WriteBoundary } from "../actions/inside-roots.ts";
import { escapeJson, toField, toOneLine } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";
import type { Moved } from "./write-answers.ts";
import { syncAfterWrite, type WriteFlags, warnIfActive } from "./write-flags.ts";

/** `pidex move`: changes the working directory of a session, for a project that was renamed. */
export async function run(io: Io, [session = "", cwd = ""]: string[], flags: WriteFlags): Promise<number> {
  if (cwd === "")
    throw new PidexError("BAD_OPTION", "the folder name is empty", "Pass the project's new folder.");
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    assertNoActiveSubagent(info);
    const to = resolve(cwd);
    if (!statSync(to, { throwIfNoEntry: false })?.isDirectory())
      printNotice(io, `folder ${to} does not exist`);
    assertInsideRoots(index, info.path);
    const plan = planned(info, to);
    const inside = assertInsideRoots(index, plan.path);
    const moved = flags.dryRun ? plan : move(io, { info, to, plan, inside });
    if (!flags.dryRun) await syncAfterWrite(io, index, flags);
    if (flags.json || flags.ndjson) await writeJson(io, { dryRun: flags.dryRun ?? false, moved });
    else if (flags.dryRun) await reportPlan(io, moved);
    else await io.out(`${toField(moved.path)}\n`);
    return EXIT.done;
  });
}

/** The result that `moveTo` would have. */
function planned(info: SessionInfo, to: string): Moved {
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

function move(
  io: Io,
  { info, to, plan, inside }: { info: SessionInfo; to: string; plan: Moved; inside: WriteBoundary },
): Moved {
  if (info.cwd === to) return plan;
  warnIfActive(io, info);
  return { ...plan, path: SessionManager.open(info.path, inside).moveTo(to) };
}

async function reportPlan(io: Io, { from, path, header, upgradedFrom }: Moved): Promise<void> {
  if (upgradedFrom) io.err(`${toOneLine(from)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) {
    await io.out(`${toField(from)}\t${toField(path)}\t${escapeJson(header)}\n`);
    return;
  }
  const target = from === path ? "" : `would move the file to ${toOneLine(path)}\n`;
  await io.out(`would change the header of ${toOneLine(from)} to:\n  ${escapeJson(header)}\n${target}`);
}
