import { basename, isAbsolute, sep } from "node:path";
import { PidexError } from "../src/errors.ts";
import { splitMachinePath } from "../src/machine-path.ts";
import { expandPath, isSessionFileName } from "../src/session/locations.ts";
import { chooseTitle } from "../src/session/titles/choose-title.ts";
import type { SessionCondition, SessionFlag } from "../src/store/conditions.ts";
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
 * Finds one session by the path of its file, by its id, by a unique prefix of its id, or by `@last`: the most recently
 * active one that is neither archived nor of a subagent, as lists have it.
 *
 * @throws PidexError `NOT_FOUND`, or `AMBIGUOUS` with the candidates in its hint
 */
export async function resolveSession(store: Store, session: string): Promise<ResolvedSession> {
  if (session === "") throw notFound(session);
  const find = (condition: SessionCondition, limit = MAX_CANDIDATES) => findSessions(store, condition, limit);
  if (session === "@last") {
    const [last] = await find(without("subagent", "archived"), 1);
    if (last === undefined && (await find(without("subagent"), 1)).length > 0) throw allArchived();
    return expectOne(last ? [last] : [], session);
  }
  if (isPath(session)) return expectOne(await find({ kind: "path", path: expandPath(session) }), session);
  const exact = await find({ kind: "id", ids: [session] });
  if (exact.length > 0) return expectOne(exact, session);
  const prefix = { kind: "idPrefix", prefix: session } as const;
  const found = await find(prefix);
  return expectOne(
    found,
    session,
    found.length < MAX_CANDIDATES ? undefined : await store.sessions.count(prefix),
  );
}

/** The condition of sessions that have none of the flags. */
function without(...flags: SessionFlag[]): SessionCondition {
  return { kind: "all", of: flags.map((flag) => ({ kind: "flag", flag, value: false })) };
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

/** @param count number of sessions that match, if `all` are not all of them */
function expectOne(all: ResolvedSession[], session: string, count?: number): ResolvedSession {
  const found = all.filter(
    (each) =>
      !CHECKPOINT.test(each.info.path) ||
      all.every((other) => other.info.id !== each.info.id || CHECKPOINT.test(other.info.path)),
  );
  const [first, second] = found;
  if (!first) throw notFound(session);
  if (!second) return first;
  const total = count ?? found.length;
  const candidates = formatCandidates(found.map(({ info }) => info));
  const more = total > found.length ? [`and ${total - found.length} more; pidex list shows all`] : [];
  throw new PidexError(
    "AMBIGUOUS",
    `"${session}" matches ${total} sessions`,
    ["Use more of the id, or a path:", ...candidates, ...more].join("\n  "),
  );
}

/** Fits, indented, a terminal of 80 columns. */
const MAX_LINE_COLUMNS = 78;
const MIN_TITLE_COLUMNS = 20;

/** A line for each session: id, time since its last message, project, title. Sessions with the same id have their path instead of it. */
function formatCandidates(sessions: readonly SessionInfo[]): string[] {
  const ids = sessions.map(({ id }) => toShortId(id));
  const names = sessions.map(({ path }, n) =>
    ids.filter((id) => id === ids[n]).length > 1 ? path : (ids[n] as string),
  );
  const rows = sessions.map(({ modified, cwd }, n) => [
    names[n] as string,
    formatAge(modified.getTime()),
    cut(basename(cwd.replaceAll("\\", "/")), 20) || "-",
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => countColumns(row[column] ?? ""))));
  const used = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(MIN_TITLE_COLUMNS, MAX_LINE_COLUMNS - used);
  return sessions.map((session, n) => {
    const cells = (rows[n] ?? []).map((cell, column) => {
      return cell + " ".repeat((widths[column] ?? 0) - countColumns(cell));
    });
    return [...cells, cut(chooseTitle(session), room)].join("  ");
  });
}

/** A UUIDv7 to the millisecond, and other ids as they are. */
function toShortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id) ? id.slice(0, 13) : id;
}

/** `5m`, `3h`, `12d` ago. */
function formatAge(modified: number): string {
  const minutes = Math.max(0, Math.floor((Date.now() - modified) / 60_000));
  if (Number.isNaN(minutes)) return "?";
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / (24 * 60))}d ago`;
}

/** On one line, of at most so many terminal columns. */
function cut(text: string, columns: number): string {
  const line = text
    .slice(0, 10 * columns)
    .replace(/\s+/g, " ")
    .trim();
  if (countColumns(line) <= columns) return line;
  let kept = "";
  let used = 1; // the ellipsis
  for (const character of line) {
    used += countColumns(character);
    if (used > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Characters two columns wide: Chinese, Japanese, Korean, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{3ffff}]/u;

/** The width of a text in terminal columns; too large for combining characters. */
function countColumns(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

function allArchived(): PidexError {
  const hint = "@last is the newest session that is not archived. Run pidex list --archived only to see ids.";
  return new PidexError("NOT_FOUND", "all sessions are archived", hint);
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
