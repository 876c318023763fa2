/** Compresses sessions or moves them to the trash, one by one: a session that fails is left as it is, and the others go on. */
import { dirname } from "node:path";
import {
  type Index,
  type KeepReason,
  type KeptSession,
  PidexError,
  type PrunableSession,
  SessionManager,
} from "../../library/index.ts";
import {
  assertNotOpen,
  findLeftovers,
  findPulledAgent,
  isCompanionPath,
  parseMoment,
  settleLeftovers,
  statSessionFiles,
} from "../../library/internal.ts";
import { parseByteSize } from "../format/bytes.ts";
import { isPruneAge, isPruneSize } from "../format/prune-limits.ts";
import { assertWritable } from "./inside-roots.ts";

export type PruneAction = "compress" | "trash";

/** A session, and what to do with it. */
export interface PlannedSession extends PrunableSession {
  action: PruneAction;
  /** Bytes on disk of the sessions of subagents that go to the trash with it. */
  alongBytes?: number;
}

/**
 * What was done with a session. `freed` are bytes on disk; those of the trash are freed when it is emptied. A session is skipped if it
 * changed, is in use or is compressed already, or would not get smaller.
 */
export interface PrunedSession {
  sessionId: string;
  path: string;
  action: "compressed" | "trashed" | "skipped" | "failed";
  freed: number;
  trashPath?: string;
  code?: string;
  message?: string;
  hint?: string;
}

/** Does what is planned with a session. @returns why not, for an error of this session */
export async function pruneSession(index: Index, planned: PlannedSession): Promise<PrunedSession> {
  const { session, action, bytes, alongBytes = 0 } = planned;
  const { id: sessionId, path } = session;
  try {
    const { within } = assertWritable(index, session);
    assertUnchanged(path, bytes);
    if (action === "compress") {
      const { compressedBytes } = SessionManager.compress(path, { within, onlyIfSmaller: true });
      if (compressedBytes < bytes) {
        return { sessionId, path, action: "compressed", freed: bytes - compressedBytes };
      }
      return { sessionId, path, action: "skipped", freed: 0, message: `${path} would not get smaller` };
    }
    assertNotOpen(path);
    const { trashPath } = await SessionManager.delete(path);
    return {
      sessionId,
      path,
      action: "trashed",
      freed: bytes + alongBytes,
      ...(trashPath !== undefined && { trashPath }),
    };
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    const { code, message, hint } = error;
    const isSkipped = code === "SESSION_CHANGED" || code === "SESSION_COMPRESSED";
    return { sessionId, path, action: isSkipped ? "skipped" : "failed", freed: 0, code, message, hint };
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
  const read = (name: string, isValid: (text: string) => boolean, example: string) => {
    const text = environment[name] || undefined;
    if (text === undefined || isValid(text)) return text;
    throw new PidexError("BAD_OPTION", `${name}=${text} is invalid`, `Write a value such as ${example}.`);
  };
  const size = read("PIDEX_PRUNE_MAX_SIZE", isPruneSize, "20GB");
  const settings = {
    compressAfter: read("PIDEX_PRUNE_COMPRESS_AFTER", isPruneAge, "180d"),
    trashAfter: read("PIDEX_PRUNE_TRASH_AFTER", isPruneAge, "2y"),
    maxBytes: size === undefined ? undefined : parseByteSize(size),
  };
  if (Object.values(settings).some((value) => value !== undefined)) return settings;
  const hint = "For example: pidex config set prune_compress_after 180d";
  throw new PidexError("BAD_OPTION", "no prune settings", hint);
}

/** The sessions of subagents that go to the trash with a session, and why one of them must stay. */
interface Along {
  sessions: readonly PrunableSession[];
  kept: KeepReason | undefined;
}

/** Finds what goes to the trash with a session: the folder of the same name. */
async function createAlongFinder(index: Index): Promise<(path: string) => Along> {
  const { sessions, kept } = await index.prunable({ subagents: "only" });
  const keptPaths = kept.map(({ session }) => session.path);
  const { sessions: others } = await index.prunable({ subagents: "only", paths: keptPaths });
  const reasons = new Map(kept.map(({ session, reason }) => [session.path, reason]));
  const byFolder = new Map<string, PrunableSession[]>();
  for (const each of [...sessions, ...others]) {
    for (let folder = dirname(each.session.path); folder !== dirname(folder); folder = dirname(folder)) {
      const inside = byFolder.get(folder);
      if (inside) inside.push(each);
      else byFolder.set(folder, [each]);
    }
  }
  return (path) => {
    const folder = path.slice(0, -".jsonl".length);
    const along = isCompanionPath(path, folder) ? (byFolder.get(folder) ?? []) : [];
    return { sessions: along, kept: along.map(({ session }) => reasons.get(session.path)).find(Boolean) };
  };
}

export interface Plan {
  sessions: PlannedSession[];
  kept: KeptSession[];
}

/**
 * Plans to move sessions to the trash. A session stays if one of its subagents must stay, or if it is a duplicate and they are not
 * compared.
 *
 * @param areNamed whether the user named the sessions, which then go with all that belongs to them
 */
export async function planTrash(
  index: Index,
  sessions: readonly PrunableSession[],
  areNamed: boolean,
): Promise<Plan> {
  const findAlong = await createAlongFinder(index);
  const plan: Plan = { sessions: [], kept: [] };
  const moved = new Set<string>();
  for (const each of sessions) {
    const along = findAlong(each.session.path);
    const isDuplicate = each.duplicateOf !== undefined && along.sessions.length > 0;
    const reason = along.kept ?? (isDuplicate ? "subagents" : undefined);
    if (reason && !areNamed) plan.kept.push({ session: each.session, reason });
    else {
      for (const { session } of along.sessions) moved.add(session.path);
      plan.sessions.push(toTrashed(each, along));
    }
  }
  plan.sessions = plan.sessions.filter(({ session }) => !moved.has(session.path));
  return plan;
}

function toTrashed(each: PrunableSession, along: Along): PlannedSession {
  return { ...each, action: "trash", alongBytes: sumBytes(along.sessions) };
}

const sumBytes = (sessions: readonly PrunableSession[]): number =>
  sessions.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * What the settings say: first the sessions older than `trashAfter` go to the trash, then the oldest while all session files take more
 * than `maxBytes`, then the others older than `compressAfter` are compressed.
 */
export async function planConfigured(
  index: Index,
  { compressAfter, trashAfter, maxBytes }: PruneSettings,
): Promise<Plan> {
  const { sessions, kept } = await index.prunable({ subagents: "yes" });
  const trashBefore = trashAfter === undefined ? undefined : parseMoment(trashAfter);
  const compressBefore = compressAfter === undefined ? undefined : parseMoment(compressAfter);
  const isBefore = (each: PrunableSession, time: number | undefined) =>
    time !== undefined && each.session.modified.getTime() < time;
  const paths = [...sessions, ...kept].map(({ session }) => session.path);
  let total = sumBytes((await index.prunable({ subagents: "yes", paths })).sessions);
  const findAlong = await createAlongFinder(index);
  const plan: Plan = { sessions: [], kept: [...kept] };
  const done = new Set<string>();
  for (const each of sessions.filter(({ session }) => !session.subagent)) {
    const isOld = isBefore(each, trashBefore);
    if (!isOld && (maxBytes === undefined || total <= maxBytes)) continue;
    const along = findAlong(each.session.path);
    if (along.kept) {
      plan.kept.push({ session: each.session, reason: along.kept });
      continue;
    }
    const planned = toTrashed(each, along);
    plan.sessions.push({ ...planned, reasons: [isOld ? `older than ${trashAfter}` : "over prune_max_size"] });
    for (const { session } of [each, ...along.sessions]) done.add(session.path);
    total -= each.bytes + sumBytes(along.sessions);
  }
  for (const each of sessions) {
    if (each.compressed || !isBefore(each, compressBefore) || done.has(each.session.path)) continue;
    if (findPulledAgent(each.session.path, process.env)) continue;
    plan.sessions.push({ ...each, action: "compress", reasons: [`older than ${compressAfter}`] });
  }
  const limit = Math.max(trashBefore ?? 0, compressBefore ?? 0);
  return { ...plan, kept: plan.kept.filter(({ session }) => session.modified.getTime() < limit) };
}

/**
 * Settles what killed runs left beside sessions. What agents appended to compressed sessions stays as it is: it is read with them.
 *
 * @param onError called for a session that cannot be settled, which stays as it is
 * @returns the paths of these sessions
 */
export async function settleInterrupted(
  index: Index,
  onError: (error: PidexError) => void,
): Promise<Set<string>> {
  const summaries = await index.listSummaries({ archived: "yes", subagents: "yes" });
  const folders = new Set([...index.roots, ...summaries.map(({ path }) => dirname(path))]);
  const settled = findLeftovers(folders, { interrupted: true }).filter((path) => !index.leadsOutside(path));
  for (const path of settled) {
    try {
      settleLeftovers(path);
    } catch (error) {
      if (!(error instanceof PidexError)) throw error;
      onError(error);
    }
  }
  return new Set(settled);
}
