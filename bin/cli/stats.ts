import type { FileProblem, Index, Stats } from "../../library/index.ts";
import { bytes } from "../format/bytes.ts";
import { dollars, number } from "../format/numbers.ts";
import { counted, field, oneLine } from "../format/safe.ts";
import { cut, fill, width } from "../format/text.ts";
import { day } from "../format/times.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { table } from "./table.ts";

interface Flags extends CommonOptions {
  problems?: boolean;
}

/** `pidex stats`. */
export async function run(io: Io, _: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    if (flags.problems) return writeProblems(io, index, flags);
    const stats = await index.stats();
    if (flags.json || flags.ndjson) await writeJson(io, { stats });
    else await io.out(forPeople(io, stats));
    return EXIT.done;
  });
}

async function writeProblems(io: Io, index: Index, { json, ndjson }: Flags): Promise<number> {
  const problems = await index.problems();
  if (json) await writeJson(io, { problems });
  else if (ndjson) await writeJsonLines(io, problems);
  else if (problems.length === 0) io.err("no problems\n");
  else if (io.isTerminal) await io.out(problemsByFile(io, problems));
  else await io.out(table(io, [], problems.map(problemForPipes)));
  return EXIT.done;
}

/** Columns for scripts: path, line, byte offset, code, message. */
function problemForPipes({ path, line, byteOffset, code, message }: FileProblem): string[] {
  return [field(path), String(line), String(byteOffset), code, oneLine(message)];
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
        const place = fill(line > 0 ? String(line) : "file", digits, "left");
        return `  ${io.style("dim", place)}  ${io.style("yellow", fill(code, codes))}  ${oneLine(message)}\n`;
      });
      return `${io.style("bold", oneLine(path))}\n${lines.join("")}`;
    })
    .join("\n");
}

function forPeople(io: Io, stats: Stats): string {
  const { tokens } = stats;
  const span =
    stats.oldest && stats.newest ? `, ${day(new Date(stats.oldest))} to ${day(new Date(stats.newest))}` : "";
  const subagents =
    stats.subagentSessions > 0 ? `, plus ${counted(stats.subagentSessions, "subagent session")}` : "";
  const rows: [string, string][] = [
    ["sessions", `${number(stats.sessions)}${subagents}${span}`],
    ["files", `${number(stats.files)}, ${bytes(stats.bytes)}`],
    ["entries", `${number(stats.entries)} (${counted(stats.messages, "message")})`],
    ["tool calls", `${number(stats.toolCalls)}, ${number(stats.failedToolCalls)} failed`],
    ["cost", `${dollars(stats.costUsd)} as recorded, shared history counted once`],
    [
      "tokens",
      `${number(tokens.input)} input, ${number(tokens.output)} output, ${number(tokens.cacheRead)} cache read, ${number(tokens.cacheWrite)} cache write`,
    ],
    ["index", `${bytes(stats.databaseBytes)} in ${stats.databasePath}`],
  ];
  const unread = stats.bytes - stats.indexedBytes;
  if (unread > 0) rows.push(["not indexed", `${bytes(unread)} in unfinished lines or unread files`]);
  const problems = stats.problems.map(({ name, count }) => `${number(count)} ${name}`).join(", ");
  if (problems) rows.push(["problems", `${problems} (--problems lists them)`]);
  const facts = rows.map(([name, value]) => `${io.style("dim", fill(name, 13))}${oneLine(value)}\n`).join("");
  return facts + ranking(io, "models", stats.models) + ranking(io, "projects", stats.projects);
}

function ranking(io: Io, heading: string, counts: Stats["models"]): string {
  if (counts.length === 0) return "";
  const shown = counts.slice(0, 8);
  const digits = Math.max(...shown.map(({ count }) => width(number(count))));
  const lines = shown.map(({ name, count }) => {
    const text = oneLine(name) || "-";
    const room = Math.max(10, io.columns - digits - 4);
    return `  ${fill(number(count), digits, "left")}  ${io.isTerminal ? cut(text, room) : text}\n`;
  });
  return `${io.style("dim", heading)}\n${lines.join("")}`;
}
