import type { IndexQueries, Label } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { queryCommand } from "./run.ts";
import { createFieldSelector } from "./select-fields.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "LABEL", style: "yellow" },
  { heading: "SET", omitOrder: 2 },
  { heading: "ID", style: "dim" },
  { heading: "ENTRY", style: "dim" },
  { heading: "TITLE", shrinksFirst: true, omitOrder: 1 },
];

/** `pidex labels`. */
export const run = queryCommand(async (io, index, [session], options: Flags<"labels">) => {
  const select = await createSelector(options);
  const labels = await index.labels(session);
  if (options.json) await writeJson(io, { labels: labels.map(select) });
  else if (options.ndjson) await writeJsonLines(io, labels);
  else if (labels.length === 0) io.err("no labels\n");
  else await io.out(io.isTerminal ? await forPeople(io, index, labels) : labels.map(forPipes).join(""));
});

async function createSelector({ json }: Flags<"labels">): Promise<(label: Label) => object> {
  if (!json || json === true) return (label) => label;
  const { LabelJson } = await import("../../library/schemas.ts");
  return createFieldSelector<Label>(json, Object.keys(LabelJson.shape));
}

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
