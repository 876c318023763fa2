import type { IndexQueries, Label } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { formatDateTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Flags } from "./commands.ts";
import { formatSinceHint } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";
import { createFieldSelector, getJsonFields } from "./select-fields.ts";
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
  const isInPeriod = await createPeriodFilter(options);
  const labels = (await index.labels(session)).filter(isInPeriod).slice(0, options.limit);
  if (options.json) await writeJson(io, { labels: labels.map(select) });
  else if (options.ndjson) await writeJsonLines(io, labels.map(select));
  else if (labels.length === 0) io.err(`${describeNone(options)}${formatSinceHint(options)}`);
  else if (!io.isTerminal) await io.out(labels.map(forPipes).join(""));
  else {
    const table = await forPeople(io, index, labels);
    await withPager(io, options, async (paged) => paged.out(table));
  }
});

function describeNone({ since, until }: Flags<"labels">): string {
  return since === undefined && until === undefined ? "no labels\n" : "No labels match.\n";
}

/** Whether a label was set in the period of `--since` and `--until`. @throws PidexError `BAD_OPTION` for an invalid time */
async function createPeriodFilter({ since, until }: Flags<"labels">): Promise<(label: Label) => boolean> {
  if (since === undefined && until === undefined) return () => true;
  const { Filters, parseOptions } = await import("../../library/schemas.ts");
  const period = parseOptions(Filters.pick({ since: true, until: true }), { since, until });
  const { since: start = Number.NEGATIVE_INFINITY, until: end = Number.POSITIVE_INFINITY } = period;
  return ({ timestamp }) => {
    const time = Date.parse(timestamp ?? "");
    return time >= start && time < end;
  };
}

async function createSelector(flags: Flags<"labels">): Promise<(label: Label) => object> {
  const fields = getJsonFields(flags);
  if (!fields || fields === true) return (label) => label;
  const { LabelJson } = await import("../../library/schemas.ts");
  return createFieldSelector<Label>(fields, Object.keys(LabelJson.shape));
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
