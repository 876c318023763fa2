import type { Entry } from "../../library/index.ts";
import { describeImage } from "../format/images.ts";
import { toJson } from "../format/json-text.ts";
import { moreCalls, type NestedCallsWords, nestedCallLines } from "../format/nested-calls.ts";
import { type CallPart, DETAIL_KINDS, type Heading, mentionedText, type Part } from "../format/parts.ts";
import { counted, oneLine, safe } from "../format/safe.ts";
import { cut } from "../format/text.ts";
import { dayAndTime } from "../format/times.ts";
import { callAbout } from "../format/tool-call.ts";
import { toTranscript } from "../format/transcript.ts";
import type { Io } from "./io.ts";

/** Lines of output shown without `--full`. */
const FOLDED_LINES = 8;

interface Options {
  io: Io;
  /** Nothing is folded: thinking, arguments and output are shown whole. */
  full: boolean;
}

/** An entry as text for a terminal, a blank line after it. Empty for a kind that only `--full` shows. */
export function transcript(entry: Entry, options: Options): string {
  const { io, full } = options;
  const { kind, heading, parts } = toTranscript(entry);
  if (DETAIL_KINDS.has(kind) && !full) return "";
  const body = joined(parts, (part) => formatPart(part, options)).trimEnd();
  if (kind === "notice") return `${io.style("dim", `· ${body}`)}\n\n`;
  return `${formatHeading(heading, io)}\n${body === "" ? "" : `${body}\n`}\n`;
}

function joined(parts: readonly Part[], format: (part: Part) => string): string {
  return parts.map(format).filter(Boolean).join("\n");
}

function formatHeading({ who, colour, time, id, facts }: Heading, io: Io): string {
  const about = [dayAndTime(time), String(id ?? ""), ...facts].filter(Boolean).join(" · ");
  return `${io.style("bold", io.style(colour, oneLine(who)))}  ${io.style("dim", oneLine(about))}`;
}

/** A part, safe for a terminal except for our own styles. */
function formatPart(part: Part, { io, full }: Options): string {
  switch (part.kind) {
    case "text":
      return safe(part.text);
    case "notice":
      return part.text;
    case "thinking":
      return full && part.text !== "" ? io.style(["dim", "italic"], safe(part.text)) : "";
    case "call":
      return io.style("yellow", `→ ${formatCall(part, full)}`);
    case "image":
      return describeImage(part.image);
    case "result": {
      const output = joined(part.content, (each) => formatOutput(each));
      return [...nestedLines(io, part.nested, full), fold(output, full)].join("\n");
    }
    case "execution":
      return `${part.prompt} ${safe(part.command)}\n${fold(safe(part.output), full)}`;
    case "files":
      return fold(safe(mentionedText(part.files)), full);
    case "error":
      return io.style("red", `error: ${safe(part.text)}`);
    case "json":
      return toJson(part.value, 2);
    case "aborted":
    case "unknown-block":
      return "";
  }
}

function formatOutput(part: Part): string {
  if (part.kind === "text") return safe(part.text);
  return part.kind === "image" ? describeImage(part.image) : "";
}

/** A tool call: its name, and on the same line its main argument, or all arguments in full. */
function formatCall({ name = "?", arguments: args }: CallPart, full: boolean): string {
  return `${oneLine(name)} ${full ? toJson(args, 2) : cut(callAbout(args), 160)}`;
}

/** The calls that a tool made, one per line. */
function nestedLines(io: Io, nested: NestedCallsWords | undefined, full: boolean): string[] {
  if (!nested) return [];
  const shown = full ? nested.calls : nested.calls.slice(0, FOLDED_LINES);
  const hidden = nested.calls.slice(shown.length);
  const calls = shown.map((each) => {
    const args = full ? each.call.arguments : undefined;
    return args ? { ...each, about: toJson(args, 2) } : each;
  });
  const lines = nestedCallLines({ calls, notes: [] });
  const more = hidden.length > 0 ? [moreCalls(hidden)] : [];
  return [...lines, ...more, ...nested.notes].map((line) => io.style("yellow", full ? line : cut(line, 160)));
}

function fold(text: string, full: boolean): string {
  const clean = text.trimEnd();
  if (full) return clean;
  const lines = clean.split("\n");
  const shown = lines.slice(0, FOLDED_LINES).map((line) => cut(line, 400));
  const hidden = lines.length - shown.length;
  return hidden > 0 ? `${shown.join("\n")}\n… ${counted(hidden, "more line")}` : shown.join("\n");
}
