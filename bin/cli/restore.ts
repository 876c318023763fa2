import type { TrashedSessionInfo } from "../../library/index.ts";
import { findTrashedSession } from "../actions/restore.ts";
import { toField, toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";
import { type Column, formatTable } from "./table.ts";
import type { Restored, Trashed } from "./write-answers.ts";
import { syncAfterWrite, type WriteFlags } from "./write-flags.ts";

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "DELETED" },
  { heading: "PROJECT", omitOrder: 1 },
  { heading: "MESSAGES", align: "right", omitOrder: 2 },
  { heading: "TITLE", shrinksFirst: true },
];

/** `pidex restore`: moves deleted sessions back from the trash, or lists them. */
export async function run(io: Io, sessions: string[], flags: WriteFlags): Promise<number> {
  const { dryRun = false } = flags;
  // Listing the trash needs no sync; restored sessions are indexed afterwards.
  return withIndex(io, { ...flags, sync: false }, async (index) => {
    const trashed = await index.listTrashed();
    if (sessions.length === 0) return list(io, trashed, flags);
    const matches = new Set(sessions.map((session) => findTrashedSession(trashed, session)));
    const restored: Restored[] = [];
    try {
      for (const { id, trashPath } of matches) {
        restored.push({ sessionId: id, ...(await index.restore(trashPath, { dryRun })) });
      }
    } finally {
      // If one restore fails, the earlier ones are reported.
      if (!dryRun) await syncAfterWrite(io, index, flags);
      if (restored.length > 0) await report(io, restored, flags);
    }
    return EXIT.done;
  });
}

async function list(io: Io, trashed: readonly TrashedSessionInfo[], flags: WriteFlags): Promise<number> {
  const forJson = ({ id, deletedAt, ...session }: TrashedSessionInfo): Trashed => ({
    sessionId: id,
    ...session,
    deletedAt: deletedAt.toISOString(),
  });
  if (flags.json) await writeJson(io, { trashed: trashed.map(forJson) });
  else if (flags.ndjson) await writeJsonLines(io, trashed.map(forJson));
  else if (trashed.length === 0) io.err("no sessions in the trash\n");
  else if (io.isTerminal) await io.out(formatTable(io, COLUMNS, trashed.map(forPeople)));
  else await io.out(trashed.map((each) => `${forPipes(each).join("\t")}\n`).join(""));
  return EXIT.done;
}

function forPeople(session: TrashedSessionInfo): string[] {
  const { id, deletedAt, messageCount } = session;
  return [
    shortId(id),
    formatRelativeTime(deletedAt),
    getProjectName(session),
    String(messageCount),
    getSessionTitle(session),
  ];
}

function forPipes({ id, deletedAt, path, trashPath }: TrashedSessionInfo): string[] {
  return [toField(id), deletedAt.toISOString(), toField(path), toField(trashPath)];
}

async function report(io: Io, restored: readonly Restored[], { json, ndjson, dryRun = false }: WriteFlags) {
  if (json) return writeJson(io, { dryRun, restored });
  const each = restored.map((session) => ({ dryRun, ...session }));
  if (ndjson) return writeJsonLines(io, each);
  for (const path of restored.flatMap((session) => [session.path, ...session.along])) {
    if (!io.isTerminal) await io.out(`${toField(path)}\n`);
    else await io.out(`${dryRun ? "would restore" : "restored"} ${toOneLine(path)}\n`);
  }
}
