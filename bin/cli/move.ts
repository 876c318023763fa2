import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { assertNoSubagentAtWork } from "../actions/at-work.ts";
import { assertInside, type WritesInside } from "../actions/inside.ts";
import { headerOf } from "../actions/organise.ts";
import { field, oneLine, safeJson } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import type { Moved } from "./organise-answers.ts";
import { EXIT, notice, withIndex } from "./run.ts";
import { syncAgain, tellIfAtWork, type WritingFlags } from "./writing.ts";

/** `pidex move`: changes the working directory of a session, for a project that was renamed. */
export async function run(io: Io, [session = "", cwd = ""]: string[], flags: WritingFlags): Promise<number> {
  if (cwd === "")
    throw new PidexError("BAD_OPTION", "the folder name is empty", "Pass the project's new folder.");
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    assertNoSubagentAtWork(info);
    const to = resolve(cwd);
    if (!statSync(to, { throwIfNoEntry: false })?.isDirectory()) notice(io, `folder ${to} does not exist`);
    assertInside(index, info.path);
    const plan = planned(info, to);
    const inside = assertInside(index, plan.path);
    const moved = flags.dryRun ? plan : move(io, { info, to, plan, inside });
    if (!flags.dryRun) await syncAgain(io, index, flags);
    if (flags.json || flags.ndjson) await writeJson(io, { dryRun: flags.dryRun ?? false, moved });
    else if (flags.dryRun) await reportPlan(io, moved);
    else await io.out(`${field(moved.path)}\n`);
    return EXIT.done;
  });
}

/** The result that `moveTo` would have. */
function planned(info: SessionInfo, to: string): Moved {
  const manager = SessionManager.open(info.path, { readOnly: true });
  const { header, upgradedFrom } = headerOf(manager);
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
  { info, to, plan, inside }: { info: SessionInfo; to: string; plan: Moved; inside: WritesInside },
): Moved {
  if (info.cwd === to) return plan;
  tellIfAtWork(io, info);
  return { ...plan, path: SessionManager.open(info.path, inside).moveTo(to) };
}

async function reportPlan(io: Io, { from, path, header, upgradedFrom }: Moved): Promise<void> {
  if (upgradedFrom) io.err(`${oneLine(from)} would first be upgraded from version ${upgradedFrom}\n`);
  if (!io.isTerminal) {
    await io.out(`${field(from)}\t${field(path)}\t${safeJson(header)}\n`);
    return;
  }
  const target = from === path ? "" : `would move the file to ${oneLine(path)}\n`;
  await io.out(`would change the header of ${oneLine(from)} to:\n  ${safeJson(header)}\n${target}`);
}
