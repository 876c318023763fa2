import type { Hit, SearchResult, SessionHits } from "../../index.ts";
import { type FilterFlags, filtersOf } from "./filters.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, notice, withIndex } from "./run.ts";
import { projectOf, shortId, titleOf } from "./sessions.ts";
import { counted, cut, cutStart, field, fill, oneLine, safe, width } from "./text.ts";
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
    const { role, limit, hits, sync } = flags;
    const found = await index.search(words, { ...filtersOf(flags), role, limit, hits, sync });
    for (const path of found.changedFiles) notice(io, `${path} is being rewritten: its hits are left out`);
    const { sessions, hitCount, more } = found;
    if (flags.json) await writeJson(io, { hits: sessions, hitCount, more });
    else if (flags.ndjson) await writeJsonLines(io, sessions);
    else if (sessions.length === 0) io.err(`nothing found for ${oneLine(words)}\n`);
    else if (!io.isTerminal) await io.out(forPipes(sessions));
    else {
      await io.out(sessions.map((each) => sessionBlock(io, each)).join("\n"));
      tellOfMore(io, found);
    }
    return sessions.length > 0 ? EXIT.done : EXIT.notFound;
  });
}

function tellOfMore(io: Io, { sessions, hitCount, more }: SearchResult): void {
  const elsewhere = hitCount - sessions.reduce((sum, each) => sum + each.hitCount, 0);
  if (elsewhere <= 0 && !more) return;
  const count = more ? "many more hits" : counted(elsewhere, "more hit");
  io.err(`\n${io.style("dim", `… ${count} in other sessions: -n`)}\n`);
}

/** Columns of the word that says what a hit is. */
const SOURCE_WIDTH = 8;
const MARGIN = "  ";

function sessionBlock(io: Io, { session, hits, hitCount }: SessionHits): string {
  const lines = sessionHeading(io, session);
  const room = io.columns - MARGIN.length - SOURCE_WIDTH - 1;
  for (const hit of hits) {
    const source = fill(cut(sourceOf(hit), SOURCE_WIDTH), SOURCE_WIDTH);
    lines.push(`${MARGIN}${io.style("dim", source)} ${marked(io, hit, Math.max(10, room))}`);
  }
  if (hitCount > hits.length)
    lines.push(`${MARGIN}${io.style("dim", `… and ${hitCount - hits.length} more here`)}`);
  return `${lines.join("\n")}\n`;
}

/** Title and whereabouts on one line, or on two where there is no room. */
function sessionHeading(io: Io, session: SessionHits["session"]): string[] {
  const about = `${projectOf(session)} · ${ago(session.modified)} · ${shortId(session.id)}`;
  const room = io.columns - width(about) - 2;
  const narrow = room < 20;
  const title = io.style("bold", cut(titleOf(session), narrow ? io.columns : room));
  const dimmed = io.style("dim", cut(about, io.columns));
  return narrow ? [title, dimmed] : [`${title}  ${dimmed}`];
}

/** Path and line, entry, role, snippet, tabs between: one hit a line. */
function forPipes(found: readonly SessionHits[]): string {
  return found
    .flatMap(({ session, hits }) =>
      hits.map(({ line, entryId, role, type, snippet }) => {
        const cells = [`${session.path}:${line}`, String(entryId ?? ""), role ?? type, snippet.text];
        return `${cells.map(field).join("\t")}\n`;
      }),
    )
    .join("");
}

const SOURCES: Record<string, string> = {
  toolResult: "output",
  bashExecution: "bash",
  assistant: "agent",
  branch_summary: "summary",
  branchSummary: "summary",
  compactionSummary: "summary",
  compaction: "summary",
  session_summary: "summary",
  session_info: "name",
  custom_message: "custom",
};

function sourceOf({ role, type, part }: Hit): string {
  const name =
    part === "thought" ? "thought" : part === "called" && role === "assistant" ? "call" : (role ?? type);
  return Object.hasOwn(SOURCES, name) ? (SOURCES[name] as string) : oneLine(name);
}

/** The snippet with its finds standing out, cut to the terminal. */
function marked(io: Io, hit: Hit, columns: number): string {
  const pieces = around(piecesOf(hit), columns);
  const whole = pieces.map(({ text }) => text).join("");
  const shown = cut(whole, columns);
  const end = shown === whole ? shown.length : shown.length - 1; // the ellipsis is nobody's find
  let line = "";
  let from = 0;
  for (const { text, found } of pieces) {
    const part = shown.slice(from, Math.min(end, from + text.length));
    line += found && part !== "" ? io.style(["bold", "yellow"], part) : part;
    from += text.length;
    if (from >= end) break;
  }
  return line + shown.slice(end);
}

interface Piece {
  /** Safe for a terminal. */
  text: string;
  found: boolean;
}

function piecesOf({ snippet: { text, ranges } }: Hit): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    pieces.push({ text: safe(text.slice(from, start)), found: false });
    pieces.push({ text: safe(text.slice(start, end)), found: true });
    from = end;
  }
  return [...pieces, { text: safe(text.slice(from)), found: false }];
}

/** With less before the first find, where it would not be seen else. */
function around(pieces: Piece[], columns: number): Piece[] {
  const [before, find, ...rest] = pieces;
  if (!before || !find || width(before.text) + width(find.text) <= (columns * 2) / 3) return pieces;
  if (width(pieces.map(({ text }) => text).join("")) <= columns) return pieces;
  return [{ ...before, text: cutStart(before.text, Math.floor(columns / 3)) }, find, ...rest];
}
