import type { IndexQueries, Label } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { queryCommand } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "LABEL", style: "yellow" },
  { heading: "SET", omitOrder: 2 },
  { heading: "ID", style: "dim" },
  { heading: "ENTRY", style: "dim" },
  { heading: "TITLE", shrinksFirst: true, omitOrder: 1 },
];

/** `pidex labels`. */
export const run = queryCommand(async (io, index, [session], options: CommonOptions) => {
  const labels = await index.labels(session);
  if (options.json) await writeJson(io, { labels });
  else if (options.ndjson) await writeJsonLines(io, labels);
  else if (labels.length === 0) io.err("no labels\n");
  else await io.out(io.isTerminal ? await forPeople(io, index, labels) : labels.map(forPipes).join(""));
});

/** Sessions and entries are shown in a form that `pidex show` accepts. */
async function forPeople(io: Io, index: IndexQueries, labels: readonly Label[]): Promise<string> {
  const { sessions } = await index.listAll({ labeled: true, subagents: "yes", archived: "yes" });
  const titles = new Map(sessions.map((session) => [session.path, getSessionTitle(session)]));
  const rows = labels.map(({ label, timestamp, targetId, sessionId, sessionPath }) => [
    toOneLine(label),
    timestamp ? formatDateTime(new Date(timestamp)) : "",
    shortId(sessionId),
    toOneLine(String(targetId)),
    titles.get(sessionPath) ?? "",
  ]);
  return formatTable(io, COLUMNS, rows);
}

/** Columns for scripts: label, time, entry, location. */
function forPipes({ label, timestamp, targetId, sessionPath, line }: Label): string {
  const location = line === undefined ? sessionPath : `${sessionPath}:${line}`;
  return formatRow([toOneLine(label), timestamp, targetId, location]);
}
