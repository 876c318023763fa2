import type { z } from "zod";
import { type SessionFiles, statSessionFiles } from "../../src/session/compressed-session.ts";
import type { LocalStore } from "../../src/store/local-reads.ts";
import type { SessionInfo } from "../answers.ts";
import { listSessions } from "../list.ts";
import { parseOptions } from "../options.ts";
import { measureContents } from "./content-bytes.ts";
import { findDuplicates } from "./duplicates.ts";
import {
  type KeepReason,
  type KeptSession,
  type PrunableSession,
  PruneOptions,
  type PruneReview,
} from "./prune-options.ts";

/** After a write this recent, an agent may still be writing. */
const ACTIVE_MS = 60_000;

type Params = z.output<typeof PruneOptions>;

/**
 * Finds sessions to compress or delete, by what the index knows and the `stat` of their files. Only duplicates and contents are
 * read from files, and only where the index says that there may be some.
 *
 * @throws PidexError `BAD_OPTION`; the signal's reason when aborted
 */
export async function findPrunable(
  store: LocalStore,
  options: PruneOptions,
  signal?: AbortSignal,
): Promise<PruneReview> {
  const params = parseOptions(PruneOptions, options);
  const { olderThan, largerThan, neverResumed, duplicates, compressed, contents, paths, ...filters } = params;
  const { sessions: all } = await listSessions(store, { ...filters, sort: "modified", order: "oldest" });
  const named = paths && new Set(paths);
  const sessions: PrunableSession[] = [];
  const kept: KeptSession[] = [];
  const found = all.flatMap((session): Found[] => {
    if (named && !named.has(session.path)) return [];
    const file = statSessionFiles(session.path); // none if it was deleted since the last sync
    return file && matches(session, file, params) ? [{ session, ...file }] : [];
  });
  const duplicateOf = duplicates ? await findDuplicates(all, signal) : undefined;
  for (const { session, bytes, modifiedMs, isCompressed } of found) {
    const original = duplicateOf?.get(session.path);
    if (duplicates && original === undefined) continue;
    const reason = named ? undefined : toKeepReason(session, modifiedMs);
    if (reason) kept.push({ session, reason });
    else {
      const reasons = toReasons(session, params);
      const file = { bytes, compressed: isCompressed };
      sessions.push({ session, reasons, ...file, ...(original !== undefined && { duplicateOf: original }) });
    }
  }
  if (contents) await measureContents(store, sessions, signal);
  return { sessions, kept };
}

type Found = SessionFiles & { session: SessionInfo };

function matches(
  session: SessionInfo,
  { bytes, isCompressed }: SessionFiles,
  { olderThan, largerThan, neverResumed, compressed }: Params,
): boolean {
  if (olderThan !== undefined && session.modified.getTime() >= olderThan) return false;
  if (largerThan !== undefined && bytes <= largerThan) return false;
  if (neverResumed && !wasNeverResumed(session)) return false;
  return compressed === undefined || compressed === isCompressed;
}

/** Whether a session has one prompt at most, or all its messages on one day of the local time zone. */
function wasNeverResumed({ userMessageCount, created, modified }: SessionInfo): boolean {
  if (userMessageCount <= 1) return true;
  return created !== null && toDay(created) === toDay(modified);
}

const toDay = (date: Date): string => `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;

function toKeepReason(session: SessionInfo, modifiedMs: number): KeepReason | undefined {
  if (session.pinned) return "pinned";
  if (session.labelCount > 0) return "labeled";
  if (session.tags.length > 0) return "tagged";
  return Date.now() - modifiedMs < ACTIVE_MS ? "active" : undefined;
}

const DAY_MS = 86_400_000;

function toReasons(session: SessionInfo, params: Params): string[] {
  const reasons: string[] = [];
  if (params.olderThan !== undefined) {
    reasons.push(`${Math.floor((Date.now() - session.modified.getTime()) / DAY_MS)}d old`);
  }
  if (params.largerThan !== undefined) reasons.push("large");
  if (params.neverResumed) reasons.push(session.userMessageCount <= 1 ? "one prompt" : "one day");
  if (params.duplicates) reasons.push("duplicate");
  return reasons;
}
