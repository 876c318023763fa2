import { dirname, join, resolve } from "node:path";
import { type Index, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { toSiblingFolder } from "../../library/internal.ts";
import {
  assertEntryExists,
  getUpgradedHeader,
  openInMemory,
  prepareFork,
} from "../actions/change-metadata.ts";
import { assertInsideRoots, type WriteBoundary } from "../actions/inside-roots.ts";
import { escapeJson, formatCount, toField, toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { getTitleInSentence } from "../format/short-titles.ts";
import { truncate } from "../format/text.ts";
import { syncAfterWrite } from "./change-sessions.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { indexCommand } from "./run.ts";
import { formatRow } from "./table.ts";
import type { Forked } from "./write-answers.ts";

/** `pidex fork`: creates a session that begins with the entries, or one branch, of another. */
export const run = indexCommand(async (io, index, [session = ""], flags: Flags<"fork">) => {
  const { at, dryRun = false } = flags;
  const name = flags.name?.replace(/[\r\n]+/g, " ").trim();
  if (name === "")
    throw new PidexError("BAD_OPTION", "the name is empty", "Pass a name to --name, or omit it.");
  const info = await index.find(session);
  const cwd = flags.cwd === undefined ? info.cwd : resolve(flags.cwd);
  if (cwd === "")
    throw new PidexError("BAD_OPTION", `${info.path} has no working directory`, "Pass one with --cwd.");
  const target = { at, cwd, name, folder: toSiblingFolder(info, cwd, index.roots) };
  const inside = assertInsideRoots(index, join(target.folder, "fork.jsonl")); // its name doesn't matter
  // A branch is checked before anything is written.
  const plan = dryRun || at !== undefined ? planFork(index, info, target) : undefined;
  const forked = plan && dryRun ? plan : fork(info, { ...target, ...inside });
  await syncAfterWrite(io, index, flags);
  if (flags.json || flags.ndjson) await writeJson(io, { dryRun, forked });
  else if (dryRun) await reportPlan(io, forked);
  else if (!io.isTerminal) await io.out(`${toField(forked.path ?? "")}\n`);
  else {
    const as = name === undefined ? "" : ` as "${truncate(toOneLine(name), 60)}"`;
    await io.out(`Forked "${getTitleInSentence(info)}" to ${shortId(forked.sessionId ?? "")}${as}\n`);
  }
});

interface Target {
  /** The last entry of the branch to copy; undefined copies all entries. */
  at: string | undefined;
  /** The working directory of the fork, and the folder of its file. */
  cwd: string;
  folder: string;
  /** The name of the fork; undefined keeps that of the session. */
  name: string | undefined;
}

function fork(
  { path: from }: SessionInfo,
  { at, cwd, folder, name, within }: Target & WriteBoundary,
): Forked {
  const manager =
    at === undefined
      ? SessionManager.forkFrom(from, cwd, folder, { within })
      : SessionManager.open(from, folder, cwd, { within });
  if (at !== undefined) manager.createBranchedSession(at);
  prepareFork(manager, name);
  const path = manager.getSessionFile() ?? "";
  return {
    from,
    path,
    folder: dirname(path),
    sessionId: manager.getSessionId(),
    header: JSON.stringify(manager.getHeader()),
    entryCount: manager.getEntries().length,
  };
}

function planFork(index: Index, info: SessionInfo, { at, cwd, folder, name }: Target): Forked {
  const { manager, upgradedFrom } = openInMemory(info);
  if (at !== undefined) {
    if (upgradedFrom) assertInsideRoots(index, info.path); // opening the session upgrades its file in place
    assertEntryExists(manager, at);
    manager.createBranchedSession(at);
    if (!manager.getEntries().some(isConversation)) {
      const message = `the branch that ends at entry ${at} has no messages to fork`;
      throw new PidexError("BAD_OPTION", message, "Choose a later entry; pidex tree lists them.");
    }
  }
  const { type, version } = getUpgradedHeader(manager).header;
  prepareFork(manager, name);
  const header = { type, version, id: "…", timestamp: "…", cwd, parentSession: info.path };
  const entryCount = manager.getEntries().length;
  return { from: info.path, folder, header: JSON.stringify(header), entryCount };
}

/** A session without a user or assistant message gets no file. */
function isConversation(entry: { type: string; message?: { role?: unknown } }): boolean {
  return entry.type === "message" && (entry.message?.role === "user" || entry.message?.role === "assistant");
}

async function reportPlan(io: Io, { folder, header, entryCount }: Forked): Promise<void> {
  if (!io.isTerminal) return io.out(formatRow([folder, entryCount, escapeJson(header)]));
  const entries = formatCount(entryCount, "entry", "entries");
  await io.out(
    `would create a file in ${toOneLine(folder)} with ${entries} and this header:\n  ${escapeJson(header)}\n`,
  );
}
