import { PidexError } from "../../../src/errors.ts";
import { closeBytes, getByteCount } from "../../../src/session/session-bytes.ts";
import type { LocalSession } from "../local-sessions.ts";
import { MAX_HUB_LINE_BYTES } from "../protocol.ts";
import { createProjectFinder, type SharedProject, toShelf } from "../settings.ts";
import { FileChangedMeanwhile, OutgoingFile } from "./outgoing-file.ts";
import {
  countUnsent,
  FAILURES,
  findChanged,
  hasSecret,
  loadMask,
  type PushOptions,
  type PushReport,
  selectShared,
} from "./push.ts";
import { type FileToPush, isSameShelf, openSessionFile } from "./push-file.ts";
import type { PushState } from "./push-state.ts";

/** Secrets of one kind that would be masked in one session. */
export interface MaskedSecrets {
  path: string;
  sessionId: string;
  kind: string;
  count: number;
}

/** What a push would send of a project. */
export interface PlannedProject {
  project: SharedProject;
  /** Sessions of which something would be sent. */
  sessions: number;
  /** Bytes of session files, before compression. */
  bytes: number;
  /** For a project of a team. */
  masked: MaskedSecrets[];
  /** Sessions that would not be sent, or not completely, and why. */
  failed: PushReport["failed"];
}

/** What a push would send, according to what was sent before. Sends no request. @throws the signal's reason when aborted */
export async function planPush(
  sessions: readonly LocalSession[],
  options: Pick<PushOptions, "projects" | "state" | "pulled" | "signal">,
): Promise<PlannedProject[]> {
  const { projects, state, signal } = options;
  const findProject = createProjectFinder(projects);
  const cwds = new Map(sessions.map(({ path, cwd }) => [path, cwd]));
  const planned = new Map<SharedProject, PlannedProject>();
  for (const project of projects) {
    if (toShelf(project)) planned.set(project, { project, sessions: 0, bytes: 0, masked: [], failed: [] });
  }
  const changed = findChanged(selectShared(sessions, options), state);
  const mask = await loadMask(changed);
  for (const file of changed) {
    signal?.throwIfAborted();
    const project = findProject(cwds.get(file.path) ?? "");
    const plan = project && planned.get(project);
    if (plan && !state.forgotten.has(file.path)) await addFile(plan, file, state, mask);
  }
  return [...planned.values()];
}

/** Adds to a plan what would be sent of a file. */
async function addFile(
  plan: PlannedProject,
  file: FileToPush,
  state: PushState,
  { maskLine, redactor }: Awaited<ReturnType<typeof loadMask>>,
): Promise<void> {
  const { path, shelf } = file;
  let bytes = countUnsent(path, shelf, state);
  const fail = (reason: string) => plan.failed.push({ path, reason });
  if (bytes === 0) return;
  if (shelf !== "mine" && hasSecret(path, maskLine)) return void fail(FAILURES.secretInPath);
  redactor?.countByKind.clear();
  try {
    const fd = openSessionFile(path);
    try {
      if (shelf !== "mine" || bytes > MAX_HUB_LINE_BYTES) {
        const size = getByteCount(fd);
        const outgoing = new OutgoingFile(fd, size, shelf === "mine" ? undefined : maskLine);
        const known = state.get(path);
        if (known && isSameShelf(known.shelf, shelf)) await outgoing.resume(known.sent);
        redactor?.countByKind.clear();
        const start = outgoing.position.raw;
        while (await outgoing.next());
        if (outgoing.isBlocked) {
          fail(FAILURES.longLine);
          bytes = outgoing.position.raw - start;
        }
      }
    } finally {
      closeBytes(fd);
    }
  } catch (error) {
    if (error instanceof FileChangedMeanwhile) return void fail("it changed while it was read");
    if (!(error instanceof PidexError)) throw error;
    return void fail(error.message);
  }
  if (bytes === 0) return;
  plan.sessions++;
  plan.bytes += bytes;
  for (const [kind, count] of redactor?.countByKind ?? []) {
    plan.masked.push({ path, sessionId: file.session, kind, count });
  }
}
