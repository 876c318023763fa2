import { isAbsolute, sep } from "node:path";
import { PidexError } from "../src/errors.ts";
import { splitMachinePath } from "../src/machine-path.ts";
import { expandPath, isSessionFileName } from "../src/session/locations.ts";
import type { SessionCondition } from "../src/store/conditions.ts";
import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";
import { toSessionInfos } from "./session-info.ts";

/** A session with the row id and version needed to read its entries. */
export interface ResolvedSession {
  fileId: number;
  version: number;
  info: SessionInfo;
}

/**
 * Finds one session by the path of its file, by its id, by a unique prefix of its id, or by `@last` (most recently active).
 *
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` with the candidates in its hint
 */
export async function resolveSession(store: Store, session: string): Promise<ResolvedSession> {
  if (session === "") throw notFound(session);
  const find = (condition: SessionCondition, limit = MAX_CANDIDATES) => findSessions(store, condition, limit);
  if (session === "@last") {
    return expectOne(await find({ kind: "flag", flag: "subagent", value: false }, 1), session);
  }
  if (isPath(session)) return expectOne(await find({ kind: "path", path: expandPath(session) }), session);
  const exact = await find({ kind: "id", ids: [session] });
  return expectOne(exact.length > 0 ? exact : await find({ kind: "idPrefix", prefix: session }), session);
}

/** Distinguishes paths from ids. */
export function isPath(session: string): boolean {
  return isSessionFileName(session) || isAbsolute(session) || session.includes(sep);
}

async function findSessions(
  store: Store,
  condition: SessionCondition,
  limit: number,
): Promise<ResolvedSession[]> {
  const rows = await store.sessions.find(condition, limit);
  const infos = await toSessionInfos(store, rows);
  return rows.map(({ file_id: fileId, version }, n) => ({ fileId, version, info: infos[n] as SessionInfo }));
}

/** Number of candidates that an `AMBIGUOUS` error lists. */
const MAX_CANDIDATES = 10;

/** OpenClaw's snapshot of a session, under the same id. */
const CHECKPOINT = /\.checkpoint\.[^.]+\.jsonl$/;

function expectOne(all: ResolvedSession[], session: string): ResolvedSession {
  const found = all.filter(
    (each) =>
      !CHECKPOINT.test(each.info.path) ||
      all.every((other) => other.info.id !== each.info.id || CHECKPOINT.test(other.info.path)),
  );
  const [first, second] = found;
  if (!first) throw notFound(session);
  if (!second) return first;
  const paths = found.map(({ info }) => info.path).join("\n  ");
  throw new PidexError(
    "AMBIGUOUS",
    `"${session}" matches ${all.length < MAX_CANDIDATES ? "" : "at least "}${found.length} sessions`,
    `Use one of these paths:\n  ${paths}`,
  );
}

function notFound(session: string): PidexError {
  const message = session === "@last" ? "there are no sessions" : `no session matches "${session}"`;
  const { machine } = splitMachinePath(session) ?? {};
  const hint =
    machine === undefined
      ? "Use a path, an id, a unique prefix of an id, or @last. Run pidex list to see ids."
      : `It is a path on ${machine}. Use --hub to read the session, or run pidex pull to get a copy.`;
  return new PidexError("NOT_FOUND", message, hint);
}
