import type { Entry } from "../../library/index.ts";
import { describeImage } from "../format/images.ts";
import { toSafeJson } from "../format/json-text.ts";
import { type FormattedNestedCalls, formatHiddenCalls, nestedCallLines } from "../format/nested-calls.ts";
import {
  type CallPart,
  DETAIL_KINDS,
  formatMentionedFiles,
  type Heading,
  NOTICE_KINDS,
  type Part,
} from "../format/parts.ts";
import { formatCount, toOneLine, toSafe } from "../format/safe.ts";
import { truncate, wrapLines } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { getMainArgument } from "../format/tool-call.ts";
import { toTranscript } from "../format/transcript.ts";
import type { Io } from "./io.ts";

/** Lines of output shown without `--full`. */
const FOLDED_LINES = 8;

interface Options {
  io: Io;
  /** Nothing is folded: thinking, arguments and output are shown whole. */
  full: boolean;
  /** The session's folder: paths of calls are relative to it. */
  folder?: string;
}

/** An entry as text for a terminal, a blank line after it. Empty for a kind that only `--full` shows. */
export function formatEntry(entry: Entry, options: Options): string {
  const { io, full } = options;
  const { kind, heading, parts } = toTranscript(entry);
  if (DETAIL_KINDS.has(kind) && !full) return "";
  const body = joined(parts, (part) => formatPart(part, options)).trimEnd();
  if (NOTICE_KINDS.has(kind)) return `${io.style("dim", wrapped(`· ${body}`, io))}\n\n`;
  return `${formatHeading(heading, io)}\n${body === "" ? "" : `${body}\n`}\n`;
}

function joined(parts: readonly Part[], format: (part: Part) => string): string {
  return parts.map(format).filter(Boolean).join("\n");
}

function formatHeading({ who, color, time, id, facts }: Heading, io: Io): string {
  const about = [formatDateTime(time), String(id ?? ""), ...facts].filter(Boolean).join(" · ");
  return `${io.style("bold", io.style(color, toOneLine(who)))}  ${io.style("dim", toOneLine(about))}`;
}

/** A part, safe for a terminal except for our own styles. */
function formatPart(part: Part, { io, full, folder }: Options): string {
  switch (part.kind) {
    case "text":
      return wrapped(toSafe(part.text), io);
    case "notice":
      return part.text;
    case "thinking":
      return full && part.text !== "" ? io.style(["dim", "italic"], wrapped(toSafe(part.text), io)) : "";
    case "call":
      return io.style("yellow", `→ ${formatCall(part, full, folder)}`);
    case "image":
      return describeImage(part.image);
    case "result": {
      const output = joined(part.content, (each) => formatOutput(each));
      return [...nestedLines(io, part.nested, full), wrapped(fold(output, full), io)].join("\n");
    }
    case "execution":
      return wrapped(`${part.prompt} ${toSafe(part.command)}\n${fold(toSafe(part.output), full)}`, io);
    case "files":
      return fold(toSafe(formatMentionedFiles(part.files)), full);
    case "error":
      return io.style("red", wrapped(`error: ${toSafe(part.text)}`, io));
    case "json":
      return toSafeJson(part.value, 2);
    case "aborted":
    case "unknown-block":
      return "";
  }
}

/** On a terminal, text wrapped between words. */
function wrapped(text: string, io: Io): string {
  return io.isTerminal ? wrapLines(text, io.columns) : text;
}

function formatOutput(part: Part): string {
  if (part.kind === "text") return toSafe(part.text);
  return part.kind === "image" ? describeImage(part.image) : "";
}

/** A tool call: its name, and on the same line its main argument, or all arguments in full. */
function formatCall({ name = "?", arguments: args }: CallPart, full: boolean, folder?: string): string {
  const about = full ? toSafeJson(args, 2) : truncate(getMainArgument(args, folder).text, 160);
  return `${toOneLine(name)} ${about}`;
}

/** The calls that a tool made, one per line. */
function nestedLines(io: Io, nested: FormattedNestedCalls | undefined, full: boolean): string[] {
  if (!nested) return [];
  const shown = full ? nested.calls : nested.calls.slice(0, FOLDED_LINES);
  const hidden = nested.calls.slice(shown.length);
  const calls = shown.map((each) => {
    const args = full ? each.call.arguments : undefined;
    return args ? { ...each, about: toSafeJson(args, 2) } : each;
  });
  const lines = nestedCallLines({ calls, notes: [] });
  const more = hidden.length > 0 ? [formatHiddenCalls(hidden)] : [];
  return [...lines, ...more, ...nested.notes].map((line) =>
    io.style("yellow", full ? line : truncate(line, 160)),
  );
}

function fold(text: string, full: boolean): string {
  const clean = text.trimEnd();
  if (full) return clean;
  const lines = clean.split("\n");
  const shown = lines.slice(0, FOLDED_LINES).map((line) => truncate(line, 400));
  const hidden = lines.length - shown.length;
  return hidden > 0 ? `${shown.join("\n")}\n… ${formatCount(hidden, "more line")}` : shown.join("\n");
}
