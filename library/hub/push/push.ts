import { statSync } from "node:fs";
import type { Redactor } from "../../../query/secrets/redact.ts";
import { PidexError } from "../../../src/errors.ts";
import { getFileStamp } from "../../../src/file-identity.ts";
import { encodePath } from "../../../src/path-bytes.ts";
import { getSessionStamp } from "../../../src/session/session-bytes.ts";
import { runInParallel } from "../in-parallel.ts";
import type { LocalSession } from "../local-sessions.ts";
import { MAX_HUB_LINE_BYTES } from "../protocol.ts";
import type { PullState } from "../pull/pull-state.ts";
import { createProjectFinder, type SharedProject, toShelf } from "../settings.ts";
import type { TransferProgress } from "../transfer-progress.ts";
import { sortOut } from "./exclude.ts";
import type { MaskLine } from "./outgoing-file.ts";
import {
  type FileToPush,
  isFatal,
  isSameShelf,
  type PushRequests,
  pushFile,
  type RemoteFile,
} from "./push-file.ts";
import type { PushState } from "./push-state.ts";

export interface PushOptions {
  hub: PushRequests;
  projects: readonly SharedProject[];
  state: PushState;
  /** Which files were pulled: they are pushed only if they went on here. */
  pulled: PullState;
  signal?: AbortSignal | undefined;
  onProgress?: (progress: TransferProgress) => void;
}

/** What a push did. */
export interface PushReport {
  /** Sessions in projects that are pushed. */
  sessions: number;
  /** Sessions of which something was sent. */
  sent: number;
  /** Bytes of session files that were sent, before compression. */
  bytes: number;
  /** Sessions that were deleted from the hub and sent again, because their beginning or their shelf changed. */
  resent: number;
  /** Files that were deleted from the hub, because their sessions are in other files now. */
  moved: number;
  /** Sessions that were not sent, because they were deleted from the hub by `pidex hub forget`. */
  forgotten: { path: string; sessionId: string }[];
  /** Changed sessions that were not sent, because they are older than the hub keeps sessions of their project. */
  expired: number;
  /** Sessions that were not sent, or not completely, and why. */
  failed: { path: string; reason: string }[];
}

/** Why a session is not sent, or not completely. */
export const FAILURES = {
  secretInPath: "its path contains a secret",
  longLine: `a line is longer than ${MAX_HUB_LINE_BYTES >> 20} MiB`,
} as const;

/** Paths per request. */
const PATHS_PER_REQUEST = 1000;

/**
 * Sends what the hub lacks of the sessions in shared projects. Can be stopped at any time: the next push goes on.
 *
 * @param sessions all sessions of the local index
 * @throws PidexError `HUB_UNAVAILABLE`, `NOT_SIGNED_IN`, `NOT_ALLOWED`, `FILE_UNWRITABLE` if the state cannot be saved; the signal's
 * reason when aborted
 */
export async function push(sessions: readonly LocalSession[], options: PushOptions): Promise<PushReport> {
  const { state } = options;
  const report: PushReport = {
    ...{ sessions: 0, sent: 0, bytes: 0, resent: 0, moved: 0 },
    ...{ forgotten: [], expired: 0, failed: [] },
  };
  try {
    const shared = selectShared(sessions, options);
    report.sessions = shared.length;
    report.moved = await forgetMoved(sessions, options);
    await pushAll(await excludeRefused(shared, options, report), options, report);
  } finally {
    state.save();
  }
  return report;
}

/** The sessions in shared projects, without pulled ones that did not go on here. */
export function selectShared(
  sessions: readonly LocalSession[],
  { projects, pulled }: Pick<PushOptions, "projects" | "pulled">,
): FileToPush[] {
  const findProject = createProjectFinder(projects);
  return sessions.flatMap(({ path, id, cwd, subagent, modified }) => {
    const shelf = toShelf(findProject(cwd));
    if (!shelf || pulled.isUnchanged(path)) return [];
    return [{ path, session: id, subagent, shelf, modified }];
  });
}

/** The files that may have changed since they were sent. */
export function findChanged(files: readonly FileToPush[], state: PushState): FileToPush[] {
  return files.filter(({ path, shelf }) => {
    const sent = state.get(path);
    return !sent?.stamp || !isSameShelf(sent.shelf, shelf) || sent.stamp !== getSessionStamp(path);
  });
}

/**
 * The files that may have changed, without those that the hub would refuse or soon delete. Deleted sessions have no state, so that each push
 * checks whether the deletion was undone: one request for all of them.
 */
async function excludeRefused(
  shared: readonly FileToPush[],
  { hub, state, signal }: PushOptions,
  report: PushReport,
): Promise<FileToPush[]> {
  const changed = findChanged(shared, state);
  if (changed.length === 0) return [];
  const exclusions = await hub.exclusions(signal);
  const { accepted, forgotten, expired } = sortOut(shared, exclusions);
  state.setForgotten(forgotten.map(({ path }) => path));
  report.forgotten = forgotten.map(({ path, session }) => ({ path, sessionId: session }));
  const isChanged = new Set(changed);
  report.expired = expired.filter((file) => isChanged.has(file)).length;
  return accepted.filter((file) => isChanged.has(file));
}

/** Deletes files from the hub that are gone here because their session was moved to another file, or forked by a pull. */
async function forgetMoved(
  sessions: readonly LocalSession[],
  { hub, state, pulled, signal }: PushOptions,
): Promise<number> {
  const paths = new Set(sessions.map(({ path }) => path));
  const ids = new Set(sessions.map(({ id }) => id));
  const gone = [...state.entries()].flatMap(([path, { session }]) => {
    const isMoved = !paths.has(path) && ids.has(session) && getFileStamp(path) === undefined;
    return isMoved || pulled.isUnchanged(path) ? [path] : [];
  });
  let forgotten = 0;
  for (let n = 0; n < gone.length; n += PATHS_PER_REQUEST) {
    const some = gone.slice(n, n + PATHS_PER_REQUEST);
    forgotten += await hub.forget(some, signal);
    for (const path of some) state.delete(path);
  }
  return forgotten;
}

/** A file, and what the hub has of it if there is no state. */
type Task = [FileToPush, RemoteFile?];

async function pushAll(
  changed: readonly FileToPush[],
  options: PushOptions,
  report: PushReport,
): Promise<void> {
  const { hub, state, onProgress } = options;
  const { maskLine } = await loadMask(changed);
  const files = changed.filter(({ path, shelf }) => {
    if (shelf === "mine" || !hasSecret(path, maskLine)) return true;
    report.failed.push({ path, reason: FAILURES.secretInPath });
    return false;
  });
  const progress = { filesDone: 0, filesTotal: files.length, bytesDone: 0, bytesTotal: 0 };
  progress.bytesTotal = files.reduce((sum, { path, shelf }) => sum + countUnsent(path, shelf, state), 0);
  const onSent = (bytes: number) => {
    report.bytes += bytes;
    progress.bytesDone += bytes;
    onProgress?.({ ...progress });
  };
  const findTasks = (signal: AbortSignal) => findRemote(files, options, signal);
  await runInParallel(options.signal, findTasks, async ([file, remote], signal) => {
    try {
      const context = { hub, state, signal, maskLine, onSent };
      const { bytes, resent, isBlocked } = await pushFile(file, context, remote);
      if (bytes > 0) report.sent++;
      if (resent) report.resent++;
      if (isBlocked) report.failed.push({ path: file.path, reason: FAILURES.longLine });
    } catch (error) {
      if (!(error instanceof PidexError) || isFatal(error)) throw error;
      if (error.code === "SESSION_FORGOTTEN") {
        state.setForgotten([...state.forgotten, file.path]);
        report.forgotten.push({ path: file.path, sessionId: file.session });
      } else report.failed.push({ path: file.path, reason: error.message });
    }
    progress.filesDone++;
    onProgress?.({ ...progress });
  });
}

/** The files with what the hub has of them, requested for many at once. */
async function* findRemote(
  files: readonly FileToPush[],
  { hub, state }: PushOptions,
  signal: AbortSignal,
): AsyncGenerator<Task> {
  const unknown = files.filter(({ path }) => !state.get(path));
  for (const file of files) if (state.get(file.path)) yield [file];
  for (let n = 0; n < unknown.length; n += PATHS_PER_REQUEST) {
    const some = unknown.slice(n, n + PATHS_PER_REQUEST);
    const remote = await hub.files(
      some.map(({ path }) => path),
      signal,
    );
    for (const [m, file] of some.entries()) yield [file, remote[m]];
  }
}

/** Whether a path contains a secret: a project of a team gets no such files, because paths are sent as they are. */
export function hasSecret(path: string, maskLine: MaskLine): boolean {
  const bytes = Buffer.from(path);
  return maskLine(bytes) !== bytes;
}

/** The function that masks the lines of the team's projects, and the redactor that counts what it masks. */
export async function loadMask(
  files: readonly FileToPush[],
): Promise<{ maskLine: MaskLine; redactor?: Redactor }> {
  if (files.every(({ shelf }) => shelf === "mine")) return { maskLine: (line) => line };
  const [{ loadRedactor }, { maskLine }] = await Promise.all([
    import("../../../query/secrets/redact.ts"),
    import("./mask-line.ts"),
  ]);
  const redactor = await loadRedactor();
  return { maskLine: (line) => maskLine(line, redactor), redactor };
}

/** Bytes of a file that the hub probably lacks. */
export function countUnsent(path: string, shelf: FileToPush["shelf"], state: PushState): number {
  const size = statSync(encodePath(path), { throwIfNoEntry: false })?.size ?? 0;
  const sent = state.get(path);
  return sent && isSameShelf(sent.shelf, shelf) && sent.sent.raw <= size ? size - sent.sent.raw : size;
}
