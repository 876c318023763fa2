import type { FileProblem, IndexQueries, IndexTotals, Stats } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatDollars, formatNumber } from "../format/numbers.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate } from "../format/text.ts";
import { formatDate } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";
import { formatFacts, formatRow } from "./table.ts";

/** `pidex stats`. */
export const run = queryCommand(async (io, index, _, flags: Flags<"stats">) => {
  if (flags.problems) return writeProblems(io, index, flags);
  const stats = await index.stats();
  if (flags.json || flags.ndjson) await writeJson(io, { stats });
  else await withPager(io, flags, async (paged) => paged.out(forPeople(paged, stats)));
});

async function writeProblems(io: Io, index: IndexQueries, flags: Flags<"stats">): Promise<void> {
  const { json, ndjson } = flags;
  const problems = await index.problems();
  if (json) await writeJson(io, { problems });
  else if (ndjson) await writeJsonLines(io, problems);
  else if (problems.length === 0) io.err("no problems\n");
  else if (io.isTerminal)
    await withPager(io, flags, async (paged) => paged.out(problemsByFile(paged, problems)));
  else await io.out(problems.map(problemForPipes).join(""));
}

/** Columns for scripts: path, line, byte offset, code, message. */
function problemForPipes({ path, line, byteOffset, code, message }: FileProblem): string {
  return formatRow([path, line, byteOffset, code, toOneLine(message)]);
}

/** Problems under the path of their file, as linters and rg print them. */
function problemsByFile(io: Io, problems: readonly FileProblem[]): string {
  const files = Map.groupBy(problems, ({ path }) => path);
  const widest = (text: (problem: FileProblem) => string, least: number) =>
    problems.reduce((most, problem) => Math.max(most, text(problem).length), least);
  const digits = widest(({ line }) => String(line), 4);
  const codes = widest(({ code }) => code, 0);
  return [...files]
    .map(([path, ofFile]) => {
      const lines = ofFile.map(({ line, code, message }) => {
        const place = pad(line > 0 ? String(line) : "file", digits, "left");
        return `  ${io.style("dim", place)}  ${io.style("yellow", pad(code, codes))}  ${toOneLine(message)}\n`;
      });
      return `${io.style("bold", toOneLine(path))}\n${lines.join("")}`;
    })
    .join("\n");
}

function forPeople(io: Io, stats: IndexTotals & Partial<Stats>): string {
  const { tokens } = stats;
  const span =
    stats.oldest && stats.newest
      ? `, ${formatDate(new Date(stats.oldest))} to ${formatDate(new Date(stats.newest))}`
      : "";
  const subagents =
    stats.subagentSessions > 0 ? `, plus ${formatCount(stats.subagentSessions, "subagent session")}` : "";
  const unread = stats.bytes - stats.indexedBytes;
  const problems = stats.problems.map(({ name, count }) => `${formatNumber(count)} ${name}`).join(", ");
  const facts = {
    sessions: `${formatNumber(stats.sessions)}${subagents}${span}`,
    files: `${formatNumber(stats.files)}, ${formatBytes(stats.bytes)}`,
    entries: `${formatNumber(stats.entries)} (${formatCount(stats.messages, "message")}), copies in forks included`,
    "tool calls": `${formatNumber(stats.toolCalls)}, ${formatNumber(stats.failedToolCalls)} failed`,
    cost: `${formatDollars(stats.costUsd)} as recorded, shared history counted once`,
    tokens: `${formatNumber(tokens.input)} input, ${formatNumber(tokens.output)} output, ${formatNumber(tokens.cacheRead)} cache read, ${formatNumber(tokens.cacheWrite)} cache write`,
    index:
      stats.databaseBytes === undefined
        ? undefined
        : `${formatBytes(stats.databaseBytes)} in ${stats.databasePath}`,
    "not indexed": unread > 0 ? `${formatBytes(unread)} in unfinished lines or unread files` : undefined,
    problems: problems ? `${problems} (--problems lists them)` : undefined,
  };
  const tops =
    ranking(io, "models", stats.models, "response") + ranking(io, "projects", stats.projects, "session");
  return formatFacts(io, facts, 13) + tops;
}

const MAX_RANKED = 8;

/** A line for each of the most frequent names: `484 responses  openai/gpt-5`. */
function ranking(io: Io, heading: string, counts: Stats["models"], unit: string): string {
  if (counts.length === 0) return "";
  const shown = counts.slice(0, MAX_RANKED);
  const format = (count: number) => formatCount(count, unit);
  const widest = Math.max(...shown.map(({ count }) => measureWidth(formatNumber(count))));
  const width = Math.max(...shown.map(({ count }) => measureWidth(format(count))));
  const lines = shown.map(({ name, count }) => {
    const text = toOneLine(name) || "-";
    const room = Math.max(10, io.columns - width - 4);
    const indent = " ".repeat(widest - measureWidth(formatNumber(count)));
    return `  ${pad(indent + format(count), width)}  ${io.isTerminal ? truncate(text, room) : text}\n`;
  });
  const more = counts.length - shown.length;
  const rest = more > 0 ? `  ${io.style("dim", `… ${formatNumber(more)} more (--json lists all)`)}\n` : "";
  return `${io.style("dim", heading)}\n${lines.join("")}${rest}`;
}
