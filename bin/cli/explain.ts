import type { IndexQueries, UsageEvent, UsageEventsOptions } from "../../library/index.ts";
import { formatDollars, formatExactDollars, formatNumber, formatShortNumber } from "../format/numbers.ts";
import { formatCount, toField, toOneLine } from "../format/safe.ts";
import { pad, truncate, truncateStart } from "../format/text.ts";
import { createTimeFormatter } from "../format/times.ts";
import { formatCsvRow } from "../format/usage-csv.ts";
import type { Flags } from "./commands.ts";
import { notePartialUsage } from "./figures.ts";
import type { Io } from "./io.ts";
import { writeJsonLines, writeJsonList } from "./json.ts";
import { formatRow } from "./table.ts";
import { abbreviateHome } from "./usage-keys.ts";

/**
 * Writes the billable events behind the numbers, streamed because there may be hundreds of thousands. Their sum equals
 * the total of the table.
 *
 * @param inJson further fields of `--json`
 */
export async function writeBillableEvents(
  io: Io,
  index: IndexQueries,
  options: UsageEventsOptions,
  flags: Flags<"spend"> | Flags<"usage">,
  inJson: object = {},
): Promise<void> {
  // First, so that usage errors are reported before any output.
  const report = await index.usage({ ...options, timeZone: flags.timeZone });
  const { total } = report;
  notePartialUsage(io, report);
  const events = index.usageEvents(options);
  if (flags.json) await writeJsonList(io, { total, ...inJson }, "events", events);
  else if (flags.ndjson) await writeJsonLines(io, events);
  else if (flags.csv) await writeCsv(io, events);
  else if (io.isTerminal) await writeForPeople(io, events, createTimeFormatter(flags.timeZone));
  else
    for await (const event of events)
      await io.out(formatRow([`${event.path}:${event.line}`, ...rawCells(event)]));
}

const RAW: readonly [name: string, value: (event: UsageEvent) => string | number | undefined][] = [
  ["time", ({ time }) => time],
  ["costUsd", ({ costNanoUsd }) => formatExactDollars(costNanoUsd)],
  ["input", ({ tokens }) => tokens.input],
  ["output", ({ tokens }) => tokens.output],
  ["cacheRead", ({ tokens }) => tokens.cacheRead],
  ["cacheWrite", ({ tokens }) => tokens.cacheWrite],
  ["kind", ({ kind }) => kind],
  ["provider", ({ provider }) => provider],
  ["model", ({ model }) => model],
  ["tool", ({ tool }) => tool],
  ["agent", ({ agent }) => agent],
  ["stop", ({ stop }) => stop],
];

function rawCells(event: UsageEvent): string[] {
  return RAW.map(([, value]) => String(value(event) ?? ""));
}

async function writeCsv(io: Io, events: AsyncIterable<UsageEvent>): Promise<void> {
  await io.out(formatCsvRow(["path", "line", ...RAW.map(([name]) => name)]));
  for await (const event of events) {
    await io.out(formatCsvRow([event.path, String(event.line), ...rawCells(event)]));
  }
}

/** Events under the path of their file, as linters and rg print them, with the sum at the end. */
async function writeForPeople(
  io: Io,
  events: AsyncIterable<UsageEvent>,
  time: (date: Date) => string,
): Promise<void> {
  let file: string | undefined;
  const sum = { lines: 0, events: 0, nanoDollars: 0, tokens: 0 };
  for await (const event of events) {
    if (event.path !== file) await io.out(formatHeading(io, event.path));
    file = event.path;
    await io.out(eventLine(io, event, time));
    if (event.billed) sum.events++;
    sum.lines++;
    sum.nanoDollars += event.costNanoUsd;
    sum.tokens += event.tokens.total;
  }
  if (sum.lines === 0) io.err("no usage found\n");
  else {
    const total = `${formatDollars(sum.nanoDollars / 1e9)}, ${formatNumber(sum.tokens)} tokens`;
    const text = `${formatCount(sum.events, "event")}: ${total}`;
    await io.out(`\n${io.style("bold", truncate(text, io.columns))}\n`);
  }
}

function formatHeading(io: Io, path: string): string {
  // The end of the path identifies the session.
  return `${io.style("bold", truncateStart(toField(abbreviateHome(path)), io.columns))}\n`;
}

/** Columns below which the time, then the tokens are omitted. */
const MIN_COLUMNS_FOR_TIME = 72;
const MIN_COLUMNS_FOR_TOKENS = 50;
const GAP = "  ";

function eventLine(io: Io, event: UsageEvent, time: (date: Date) => string): string {
  const { costUsd, tokens, kind, provider, model, tool, agent, stop, onCurrentBranch } = event;
  const line = pad(String(event.line), 6, "left");
  const moment = event.time ? time(new Date(event.time)) : "";
  const times = io.columns < MIN_COLUMNS_FOR_TIME ? [] : [pad(moment, 16)];
  const cost = pad(formatDollars(costUsd), 9, "left");
  const sums = io.columns < MIN_COLUMNS_FOR_TOKENS ? [] : [pad(formatShortNumber(tokens.total), 6, "left")];
  const used = [line, ...times, cost, ...sums, ""].join(GAP).length;
  const about = [
    kind,
    model && (provider ? `${provider}/${model}` : model),
    tool,
    agent,
    stop !== "stop" && stop !== "toolUse" && stop,
    !onCurrentBranch && "abandoned branch",
  ].filter((part) => typeof part === "string");
  const text = truncate(about.map(toOneLine).join(GAP), io.columns - used);
  return `${[io.style("dim", line), ...times, io.style("green", cost), ...sums, text].join(GAP)}\n`;
}
