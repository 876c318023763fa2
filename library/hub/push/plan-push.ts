import { closeSync, fstatSync } from "node:fs";
import { openForReading } from "../../../src/session/open-for-reading.ts";
import type { LocalSession } from "../local-sessions.ts";
import { createProjectFinder, type SharedProject, toShelf } from "../settings.ts";
import { OutgoingFile } from "./outgoing-file.ts";
import { countUnsent, findChanged, type PushOptions, selectShared } from "./push.ts";
import { isSameShelf } from "./push-file.ts";
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
}

/** What a push would send, according to what was sent before. Sends no request. */
export async function planPush(
  sessions: readonly LocalSession[],
  options: Pick<PushOptions, "projects" | "state" | "pulled" | "signal">,
): Promise<PlannedProject[]> {
  const { projects, state, signal } = options;
  const findProject = createProjectFinder(projects);
  const cwds = new Map(sessions.map(({ path, cwd }) => [path, cwd]));
  const planned = new Map<SharedProject, PlannedProject>();
  for (const project of projects) {
    if (toShelf(project)) planned.set(project, { project, sessions: 0, bytes: 0, masked: [] });
  }
  for (const file of findChanged(selectShared(sessions, options), state)) {
    signal?.throwIfAborted();
    const project = findProject(cwds.get(file.path) ?? "");
    const plan = project && planned.get(project);
    const bytes = countUnsent(file.path, file.shelf, state);
    if (!plan || bytes === 0 || state.forgotten.has(file.path)) continue;
    plan.sessions++;
    plan.bytes += bytes;
    if (file.shelf === "mine") continue;
    const known = state.get(file.path);
    const from = known && isSameShelf(known.shelf, file.shelf) ? known : undefined;
    for (const [kind, count] of await countSecrets(file.path, from)) {
      plan.masked.push({ path: file.path, sessionId: file.session, kind, count });
    }
  }
  return [...planned.values()];
}

/** The number of secrets by kind in what was not sent of a file. */
async function countSecrets(
  path: string,
  known: ReturnType<PushState["get"]>,
): Promise<ReadonlyMap<string, number>> {
  const [{ loadRedactor }, { maskLine }] = await Promise.all([
    import("../../../query/secrets/redact.ts"),
    import("./mask-line.ts"),
  ]);
  const redactor = await loadRedactor();
  const fd = openForReading(path);
  try {
    const outgoing = new OutgoingFile(fd, fstatSync(fd).size, (line) => maskLine(line, redactor));
    if (known) await outgoing.resume(known.sent);
    redactor.countByKind.clear();
    while (await outgoing.next());
    return redactor.countByKind;
  } finally {
    closeSync(fd);
  }
}
