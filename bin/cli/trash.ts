import type { Index } from "../../library/index.ts";
import { listTrashedSessions, type TrashedSession, toTrashedJson } from "../actions/trashed-sessions.ts";
import { formatBytes } from "../format/bytes.ts";
import { toOneLine } from "../format/safe.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { type PagerFlags, withPager } from "./pager.ts";
import { unsyncedCommand } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";
import type { Trashed } from "./write-answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "ID", style: "dim" },
  { heading: "DELETED" },
  { heading: "PROJECT", omitOrder: 1 },
  { heading: "MSGS", align: "right", omitOrder: 3 },
  { heading: "SIZE", align: "right", omitOrder: 2 },
  { heading: "TITLE", shrinksFirst: true },
];

/** `pidex trash`: lists the sessions in the trash. */
export const run = unsyncedCommand((io, index, _, flags: CommonOptions) => listTrash(io, index, flags));

/** Lists the sessions in the trash, most recently deleted first. */
export async function listTrash(io: Io, index: Index, flags: CommonOptions & PagerFlags): Promise<void> {
  const trashed = await listTrashedSessions(index);
  if (flags.json) await writeJson(io, { trashed: trashed.map(forJson) });
  else if (flags.ndjson) await writeJsonLines(io, trashed.map(forJson));
  else if (trashed.length === 0) io.err("no sessions in the trash\n");
  else if (!io.isTerminal) await io.out(trashed.map(forPipes).join(""));
  else {
    await withPager(io, flags, async (paged) =>
      paged.out(formatTable(paged, COLUMNS, trashed.map(forPeople))),
    );
    io.err(`${io.style("dim", "pidex restore ID brings one back")}\n`);
  }
}

function forJson(session: TrashedSession): Trashed {
  return toTrashedJson(session);
}

function forPeople(session: TrashedSession): string[] {
  const { id, deletedAt, messageCount, bytes } = session;
  return [
    shortId(id),
    formatRelativeTime(deletedAt),
    getProjectName(session),
    String(messageCount),
    formatBytes(bytes),
    getSessionTitle(session),
  ];
}

/** Columns for scripts: id, time, original location, location in the trash, bytes, title. */
function forPipes(session: TrashedSession): string {
  const { id, deletedAt, path, trashPath, bytes } = session;
  return formatRow([
    id,
    deletedAt.toISOString(),
    path,
    trashPath,
    bytes,
    toOneLine(getSessionTitle(session)),
  ]);
}
