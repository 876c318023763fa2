import { dirname, join, resolve } from "node:path";
import { type Index, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { toSiblingFolder } from "../../library/internal.ts";
import { assertEntryExists, getUpgradedHeader, openInMemory } from "../actions/change-metadata.ts";
import { assertInsideRoots, type WriteBoundary } from "../actions/inside-roots.ts";
import { escapeJson, formatCount, toField, toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import type { Forked } from "./write-answers.ts";
import { syncAfterWrite } from "./write-flags.ts";

/** `pidex fork`: creates a session that begins with the entries, or one branch, of another. */
export async function run(io: Io, [session = ""]: string[], flags: Flags<"fork">): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    const inside = assertInsideRoots(index, join(targetOf(index, info, flags).folder, "fork.jsonl")); // its name doesn't matter
    // Forking a branch opens the session, which upgrades an old file in place.
    if (flags.at !== undefined && openInMemory(info).upgradedFrom) assertInsideRoots(index, info.path);
    const forked = flags.dryRun ? planned(index, info, flags) : fork(index, info, { ...flags, ...inside });
    if (!flags.dryRun) await syncAfterWrite(io, index, flags);
    if (flags.json || flags.ndjson) await writeJson(io, { dryRun: flags.dryRun ?? false, forked });
    else if (flags.dryRun) await reportPlan(io, forked);
    else await io.out(`${toField(forked.path ?? "")}\n`);
    return EXIT.done;
  });
}

/** The working directory of the fork, and the folder of its file. */
function targetOf(
  { roots }: Index,
  info: SessionInfo,
  flags: Flags<"fork">,
): { cwd: string; folder: string } {
  const cwd = flags.cwd === undefined ? info.cwd : resolve(flags.cwd);
  if (cwd !== "") return { cwd, folder: toSiblingFolder(info, cwd, roots) };
  throw new PidexError("BAD_OPTION", `${info.path} has no working directory`, "Pass one with --cwd.");
}

function fork(index: Index, info: SessionInfo, flags: Flags<"fork"> & WriteBoundary): Forked {
  const { cwd, folder } = targetOf(index, info, flags);
  const manager =
    flags.at === undefined
      ? SessionManager.forkFrom(info.path, cwd, folder, { within: flags.within })
      : forkBranch(index, info, { at: flags.at, cwd, folder, within: flags.within });
  const path = manager.getSessionFile() ?? "";
  return {
    from: info.path,
    path,
    folder: dirname(path),
    sessionId: manager.getSessionId(),
    header: JSON.stringify(manager.getHeader()),
    entryCount: manager.getEntries().length,
  };
}

function forkBranch(
  index: Index,
  info: SessionInfo,
  { at, cwd, folder, within }: { at: string; cwd: string; folder: string } & WriteBoundary,
): SessionManager {
  planned(index, info, { cwd, at }); // before anything is written
  const manager = SessionManager.open(info.path, folder, cwd, { within });
  manager.createBranchedSession(at);
  return manager;
}

function planned(index: Index, info: SessionInfo, flags: Flags<"fork">): Forked {
  const { cwd, folder } = targetOf(index, info, flags);
  const { manager } = openInMemory(info);
  if (flags.at !== undefined) {
    assertEntryExists(manager, flags.at);
    manager.createBranchedSession(flags.at);
    if (!manager.getEntries().some(isConversation)) {
      const message = `the branch that ends at entry ${flags.at} has no messages to fork`;
      throw new PidexError("BAD_OPTION", message, "Choose a later entry; pidex tree lists them.");
    }
  }
  const { type, version } = getUpgradedHeader(manager).header;
  const header = { type, version, id: "…", timestamp: "…", cwd, parentSession: info.path };
  return {
    from: info.path,
    folder,
    header: JSON.stringify(header),
    entryCount: manager.getEntries().length,
  };
}

/** A session without a user or assistant message gets no file. */
function isConversation(entry: { type: string; message?: { role?: unknown } }): boolean {
  return entry.type === "message" && (entry.message?.role === "user" || entry.message?.role === "assistant");
}

async function reportPlan(io: Io, { folder, header, entryCount }: Forked): Promise<void> {
  if (!io.isTerminal) {
    await io.out(`${toField(folder)}\t${entryCount}\t${escapeJson(header)}\n`);
    return;
  }
  const entries = formatCount(entryCount, "entry", "entries");
  await io.out(
    `would create a file in ${toOneLine(folder)} with ${entries} and this header:\n  ${escapeJson(header)}\n`,
  );
}
