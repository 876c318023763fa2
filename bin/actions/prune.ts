/** Compresses sessions or moves them to the trash, one by one: a session that fails is left as it is, and the others go on. */
import { dirname, sep } from "node:path";
import {
  type Index,
  type KeptSession,
  PidexError,
  type PrunableSession,
  SessionManager,
} from "../../library/index.ts";
import {
  findLeftovers,
  findPulledAgent,
  isCompanionPath,
  parseMoment,
  settleLeftovers,
  statSessionFiles,
} from "../../library/internal.ts";
import { parseByteSize } from "../format/bytes.ts";
import { assertWritable } from "./inside-roots.ts";

export type PruneAction = "compress" | "trash";

/** A session, and what to do with it. */
export interface PlannedSession extends PrunableSession {
  action: PruneAction;
}

/** What was done with a session. `freed` are bytes on disk; those of the trash are freed when it is emptied. */
export interface PrunedSession {
  sessionId: string;
  path: string;
  action: "compressed" | "trashed" | "failed";
  freed: number;
  trashPath?: string;
  code?: string;
  message?: string;
}

/** Does what is planned with a session. @returns why not, for an error of this session */
export async function pruneSession(index: Index, planned: PlannedSession): Promise<PrunedSession> {
  const { session, action, bytes } = planned;
  const { id: sessionId, path } = session;
  try {
    const { within } = assertWritable(index, session);
    assertUnchanged(path, bytes);
    if (action === "compress") {
      const { compressedBytes } = SessionManager.compress(path, { within });
      return { sessionId, path, action: "compressed", freed: bytes - compressedBytes };
    }
    const { trashPath } = await SessionManager.delete(path);
    return {
      sessionId,
      path,
      action: "trashed",
      freed: bytes,
      ...(trashPath !== undefined && { trashPath }),
    };
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return { sessionId, path, action: "failed", freed: 0, code: error.code, message: error.message };
  }
}

/** An agent may have gone on with it while the others were pruned, or before the confirmation. */
function assertUnchanged(path: string, bytes: number): void {
  if (statSessionFiles(path)?.bytes === bytes) return;
  const hint = "It was left as it is. Run the command again.";
  throw new PidexError("SESSION_CHANGED", `${path} changed after it was selected`, hint);
}

/** The settings of `prune --configured`, from their environment variables. Undefined where not set. */
export interface PruneSettings {
  compressAfter: string | undefined;
  trashAfter: string | undefined;
  maxBytes: number | undefined;
}

/** @throws PidexError `BAD_OPTION` for an invalid setting, or if none is set */
export function readPruneSettings(environment: NodeJS.ProcessEnv = process.env): PruneSettings {
  const age = (name: string) => {
    const text = environment[name] || undefined;
    if (text !== undefined && parseMoment(text) === undefined) throw invalid(name, text, "180d");
    return text;
  };
  const size = environment.PIDEX_PRUNE_MAX_SIZE || undefined;
  const maxBytes = size === undefined ? undefined : parseByteSize(size);
  if (size !== undefined && maxBytes === undefined) throw invalid("PIDEX_PRUNE_MAX_SIZE", size, "20GB");
  const settings = {
    ...{ compressAfter: age("PIDEX_PRUNE_COMPRESS_AFTER"), trashAfter: age("PIDEX_PRUNE_TRASH_AFTER") },
    maxBytes,
  };
  if (Object.values(settings).some((value) => value !== undefined)) return settings;
  const hint = "For example: pidex config set prune_compress_after 180d";
  throw new PidexError("BAD_OPTION", "no prune settings", hint);
}

function invalid(name: string, value: string, example: string): PidexError {
  return new PidexError("BAD_OPTION", `${name}=${value} is invalid`, `Write a value such as ${example}.`);
}

/**
 * What the settings say: first the sessions older than `trashAfter` go to the trash, then the oldest while all session files take more
 * than `maxBytes`, then the others older than `compressAfter` are compressed.
 */
export async function planConfigured(
  index: Index,
  { compressAfter, trashAfter, maxBytes }: PruneSettings,
): Promise<{ sessions: PlannedSession[]; kept: KeptSession[] }> {
  const { sessions, kept } = await index.prunable({ subagents: "yes" });
  const trashBefore = trashAfter === undefined ? undefined : parseMoment(trashAfter);
  const compressBefore = compressAfter === undefined ? undefined : parseMoment(compressAfter);
  const isBefore = (each: PrunableSession, time: number | undefined) =>
    time !== undefined && each.session.modified.getTime() < time;
  const { sessions: all } = await index.prunable({
    subagents: "yes",
    paths: [...sessions, ...kept].map(({ session }) => session.path),
  });
  let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const planned: PlannedSession[] = [];
  const movedAlong = new Set<string>();
  const trash = (each: PrunableSession, reason: string) => {
    planned.push({ ...each, action: "trash", reasons: [reason] });
    // The sessions of its subagents are moved along.
    const along = all.filter(({ session }) => isInCompanion(each.session.path, session.path));
    for (const { session } of along) movedAlong.add(session.path);
    total -= [each, ...along].reduce((sum, { bytes }) => sum + bytes, 0);
  };
  const mains = sessions.filter(({ session }) => !session.subagent);
  for (const each of mains) {
    if (isBefore(each, trashBefore)) trash(each, `older than ${trashAfter}`);
    else if (maxBytes !== undefined && total > maxBytes) trash(each, "over prune_max_size");
  }
  const trashed = new Set(planned.map(({ session }) => session.path));
  for (const each of sessions) {
    if (each.isCompressed || !isBefore(each, compressBefore)) continue;
    if (trashed.has(each.session.path) || movedAlong.has(each.session.path)) continue;
    if (findPulledAgent(each.session.path, process.env)) continue;
    planned.push({ ...each, action: "compress", reasons: [`older than ${compressAfter}`] });
  }
  const affected = (session: KeptSession["session"]) => {
    const time = session.modified.getTime();
    return time < Math.max(trashBefore ?? 0, compressBefore ?? 0);
  };
  return { sessions: planned, kept: kept.filter(({ session }) => affected(session)) };
}

/** Whether a session is in the folder of another one's subagents. */
function isInCompanion(main: string, path: string): boolean {
  const folder = main.slice(0, -".jsonl".length);
  return isCompanionPath(main, folder) && path.startsWith(folder + sep);
}

/** The state of a session with more than one file: see `settle`. */
export interface Leftover {
  path: string;
  isRemoved: boolean;
}

/** Removes what killed processes left of compressed sessions, if another file has all its bytes. */
export async function cleanLeftovers(index: Index, isDryRun: boolean): Promise<Leftover[]> {
  const summaries = await index.listSummaries({ archived: "yes", subagents: "yes" });
  const folders = new Set([...index.roots, ...summaries.map(({ path }) => dirname(path))]);
  return findLeftovers(folders).map((path) => {
    if (isDryRun || index.leadsOutside(path)) return { path, isRemoved: false };
    const state = settleLeftovers(path);
    return { path, isRemoved: state === "plain" || state === "compressed" };
  });
}
