import { resolve } from "node:path";
import type { Hit, SessionHits } from "../../index.ts";
import { type FilterFlags, filtersOf } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLine } from "./json.ts";
import { EXIT, notice, withIndex } from "./run.ts";
import { projectOf, shortId, titleOf } from "./sessions.ts";
import { cut, oneLine, safe } from "./text.ts";
import { ago } from "./times.ts";

interface Flags extends FilterFlags {
  role?: string;
  limit: number;
  hits: number;
}

/** `pidex search`. Exit 3 when nothing was found, so that scripts can tell. */
export async function run(io: Io, args: string[], flags: Flags): Promise<number> {
  const words = args.join(" ");
  return withIndex(io, flags, async (index) => {
    const { role, limit, hits } = flags;
    const found = await index.search(words, { ...filtersOf(flags), role, limit, hits });
    for (const path of found.changedFiles) {
      notice(io, `${resolve(path)} is being rewritten: its hits are left out`);
    }
    const { sessions, hitCount, more } = found;
    if (flags.json) writeJson(io, { hits: sessions, hitCount, more });
    else if (flags.ndjson) for (const session of sessions) writeJsonLine(io, session);
    else if (sessions.length === 0) io.err(`nothing found for ${safe(words)}\n`);
    else io.out(io.isTerminal ? forPeople(io, sessions) : forPipes(sessions));
    return sessions.length > 0 ? EXIT.done : EXIT.notFound;
  });
}

function forPeople(io: Io, found: readonly SessionHits[]): string {
  return found.map((each) => sessionBlock(io, each)).join("\n");
}

function sessionBlock(io: Io, { session, hits, hitCount }: SessionHits): string {
  const about = `${projectOf(session)} · ${ago(session.modified)} · ${shortId(session)}`;
  const title = cut(titleOf(session), Math.max(20, io.columns - about.length - 3));
  const lines = [`${io.style("bold", title)}  ${io.style("dim", about)}`];
  for (const hit of hits) lines.push(`  ${io.style("dim", source(hit))} ${marked(io, hit, io.columns - 16)}`);
  if (hitCount > hits.length) lines.push(`  ${io.style("dim", `… and ${hitCount - hits.length} more`)}`);
  return `${lines.join("\n")}\n`;
}

/** Path, line, entry, role and snippet, tabs between: one hit a line. */
function forPipes(found: readonly SessionHits[]): string {
  return found
    .flatMap(({ session, hits }) =>
      hits.map((hit) => {
        const place = `${oneLine(session.path)}:${hit.line}`;
        return `${[place, oneLine(String(hit.entryId ?? "")), hit.role ?? hit.type, oneLine(hit.snippet.text)].join("\t")}\n`;
      }),
    )
    .join("");
}

const SOURCES: Record<string, string> = { toolResult: "output", bashExecution: "bash", assistant: "agent" };

function source({ role, type, part }: Hit): string {
  const name = part === "thought" ? "thought" : part === "called" && role === "assistant" ? "call" : (role ?? type);
  return (SOURCES[name] ?? name).slice(0, 12).padEnd(12);
}

/** The snippet with its finds standing out, cut to the terminal. */
function marked(io: Io, { snippet }: Hit, columns: number): string {
  const { text, ranges } = around(snippet.text, snippet.ranges, columns);
  let line = "";
  let from = 0;
  for (const [start, end] of ranges) {
    line += safe(text.slice(from, start)) + io.style(["bold", "yellow"], safe(text.slice(start, end)));
    from = end;
  }
  return line + safe(text.slice(from));
}

/** As much of a snippet as fits, its first find in it. */
function around(text: string, ranges: readonly (readonly [number, number])[], columns: number) {
  const first = ranges[0]?.[0] ?? 0;
  const start = first > columns / 2 ? Math.max(0, first - Math.floor(columns / 3)) : 0;
  const shown = cut(text.slice(start), columns);
  const kept = shown.endsWith("…") && !text.endsWith(shown) ? shown.length - 1 : shown.length;
  return {
    text: shown,
    ranges: ranges
      .map(([from, to]) => [from - start, Math.min(to - start, kept)] as const)
      .filter(([from, to]) => from >= 0 && from < to),
  };
}
