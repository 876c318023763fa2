import type { Index, Stats } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLine } from "./json.ts";
import { bytes } from "./progress.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { fill, oneLine, width } from "./text.ts";
import { day } from "./times.ts";

interface Flags extends CommonOptions {
  problems?: boolean;
}

/** `pidex stats`. */
export async function run(io: Io, _: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    if (flags.problems) return writeProblems(io, index, flags);
    const stats = await index.stats();
    if (flags.json || flags.ndjson) writeJson(io, { stats });
    else io.out(forPeople(io, stats));
    return EXIT.done;
  });
}

async function writeProblems(io: Io, index: Index, { json, ndjson }: Flags): Promise<number> {
  const problems = await index.problems();
  if (json) writeJson(io, { problems });
  else if (ndjson) for (const problem of problems) writeJsonLine(io, problem);
  else {
    for (const { path, line, byteOffset, code, message } of problems) {
      const place = line > 0 ? `${path}:${line} (byte ${byteOffset})` : path;
      io.out(`${oneLine(place)}  ${io.style("yellow", code)}  ${oneLine(message)}\n`);
    }
  }
  return EXIT.done;
}

function forPeople(io: Io, stats: Stats): string {
  const { tokens } = stats;
  const span = stats.oldest && stats.newest ? `, ${day(new Date(stats.oldest))} to ${day(new Date(stats.newest))}` : "";
  const rows: [string, string][] = [
    ["sessions", `${number(stats.sessions)}${span}`],
    ["of subagents", number(stats.subagentSessions)],
    ["files", `${number(stats.files)}, ${bytes(stats.bytes)}`],
    ["entries", `${number(stats.entries)}, ${number(stats.messages)} of them messages`],
    ["tool calls", `${number(stats.toolCalls)}, ${number(stats.failedToolCalls)} failed`],
    ["cost", `$${stats.costUsd.toFixed(2)} as recorded, copies in forks counted once`],
    [
      "tokens",
      `${number(tokens.input)} in, ${number(tokens.output)} out, ${number(tokens.cacheRead)} from cache, ${number(tokens.cacheWrite)} to cache`,
    ],
    ["index", `${bytes(stats.databaseBytes)} in ${stats.databasePath}`],
  ];
  const unread = stats.bytes - stats.indexedBytes;
  if (unread > 0) rows.push(["not indexed", `${bytes(unread)}: lines not finished yet, or files not read`]);
  const problems = stats.problems.map(({ name, count }) => `${number(count)} ${name}`).join(", ");
  if (problems) rows.push(["problems", `${problems} (--problems lists them)`]);
  const facts = rows.map(([name, value]) => `${io.style("dim", fill(name, 13))}${oneLine(value)}\n`).join("");
  return facts + ranking(io, "models", stats.models) + ranking(io, "projects", stats.projects);
}

function ranking(io: Io, heading: string, counts: Stats["models"]): string {
  if (counts.length === 0) return "";
  const shown = counts.slice(0, 8);
  const digits = Math.max(...shown.map(({ count }) => width(number(count))));
  const lines = shown.map(({ name, count }) => `  ${fill(number(count), digits, "left")}  ${oneLine(name) || "-"}\n`);
  return `${io.style("dim", heading)}\n${lines.join("")}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
