import type { TrashedSessionInfo } from "../../library/index.ts";
import { findTrashedSession } from "../actions/restore.ts";
import { toField, toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import { changeEach, type WriteFlags } from "./change-sessions.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { unsyncedCommand } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";
import type { Restored, Trashed } from "./write-answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "DELETED" },
  { heading: "PROJECT", omitOrder: 1 },
  { heading: "MSGS", align: "right", omitOrder: 2 },
  { heading: "TITLE", shrinksFirst: true },
];

/** `pidex restore`: moves deleted sessions back from the trash, or lists them. */
export const run = unsyncedCommand(async (io, index, sessions, flags: WriteFlags) => {
  const { dryRun = false } = flags;
  // Listing the trash needs no sync; restored sessions are indexed afterwards.
  const trashed = await index.listTrashed();
  if (sessions.length === 0) return list(io, trashed, flags);
  const matches = new Set(sessions.map((session) => findTrashedSession(trashed, session)));
  await changeEach(io, index, flags, {
    name: "restored",
    items: matches,
    async change({ id, trashPath }): Promise<Restored> {
      return { sessionId: id, ...(await index.restore(trashPath, { dryRun })) };
    },
    async report({ path, along }) {
      const verb = dryRun ? "would restore" : "restored";
      for (const each of [path, ...along])
        await io.out(io.isTerminal ? `${verb} ${toOneLine(each)}\n` : `${toField(each)}\n`);
    },
  });
});

async function list(io: Io, trashed: readonly TrashedSessionInfo[], flags: WriteFlags): Promise<void> {
  const forJson = ({ id, deletedAt, ...session }: TrashedSessionInfo): Trashed => ({
    sessionId: id,
    ...session,
    deletedAt: deletedAt.toISOString(),
  });
  if (flags.json) await writeJson(io, { trashed: trashed.map(forJson) });
  else if (flags.ndjson) await writeJsonLines(io, trashed.map(forJson));
  else if (trashed.length === 0) io.err("no sessions in the trash\n");
  else if (io.isTerminal) await io.out(formatTable(io, COLUMNS, trashed.map(forPeople)));
  else await io.out(trashed.map(forPipes).join(""));
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

function forPipes({ id, deletedAt, path, trashPath }: TrashedSessionInfo): string {
  return formatRow([id, deletedAt.toISOString(), path, trashPath]);
}
