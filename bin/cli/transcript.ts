import type { Block, Content, Entry, Message } from "../../library/index.ts";
import {
  asideLine,
  callAbout,
  fieldsOf,
  imageWords,
  mentionedText,
  messageFacts,
  UNREAD_MESSAGE,
  voiceOf,
} from "../format/entry-words.ts";
import { toJson } from "../format/json-text.ts";
import {
  moreCalls,
  type NestedCallsWords,
  type NestedCallWords,
  nestedCallLines,
  nestedCallsWords,
} from "../format/nested-calls.ts";
import { counted, oneLine, safe } from "../format/safe.ts";
import { cut } from "../format/text.ts";
import { dayAndTime } from "../format/times.ts";
import type { Io } from "./io.ts";

/** Lines of a tool's output that are shown unless everything is asked for. */
const FOLDED_LINES = 8;

interface Transcript {
  io: Io;
  /** Nothing folded: thinking, arguments and output whole. */
  full: boolean;
}

/** An entry as a person reads it; empty for one that says nothing to a person. */
export function transcript(entry: Entry, options: Transcript): string {
  const { io } = options;
  switch (entry.type) {
    case "message":
      return entry.message ? messageBlock(entry, entry.message, options) : aside(io, UNREAD_MESSAGE);
    case "compaction":
    case "branch_summary":
    case "session_summary":
      return block(io, entry, safe(entry.summary ?? ""));
    case "custom_message":
      return block(io, entry, contentLines(entry.content));
    default: {
      const line = asideLine(entry);
      if (line !== undefined) return aside(io, line);
      return options.full ? block(io, entry, fieldsOf(entry)) : "";
    }
  }
}

function messageBlock(entry: Entry, message: Message, { io, full }: Transcript): string {
  switch (message.role) {
    case "user":
    case "custom":
    case "developer":
      return block(io, entry, contentLines(message.content));
    case "assistant": {
      const error = message.errorMessage
        ? `\n${io.style("red", `error: ${safe(message.errorMessage)}`)}`
        : "";
      return block(io, entry, assistantLines(io, message.content, full) + error);
    }
    case "toolResult": {
      const calls = nestedLines(io, nestedCallsWords(message), full);
      return block(io, entry, `${calls}${fold(contentLines(message.content), full)}`);
    }
    case "bashExecution":
      return block(io, entry, `$ ${safe(message.command ?? "")}\n${fold(safe(message.output ?? ""), full)}`);
    case "pythonExecution":
      return block(io, entry, `>>> ${safe(message.code ?? "")}\n${fold(safe(message.output ?? ""), full)}`);
    case "fileMention":
      return block(io, entry, fold(safe(mentionedText(message)), full));
    case "branchSummary":
    case "compactionSummary":
      return block(io, entry, safe(message.summary ?? ""));
    case "system":
      return full ? block(io, entry, contentLines(message.content)) : "";
    default:
      return full ? block(io, entry, toJson(message, 2)) : "";
  }
}

/** A heading and a text, which must be safe for a terminal already: it may hold styles of ours. */
function block(io: Io, entry: Entry, text: string): string {
  const { who, colour } = voiceOf(entry);
  const id = entry.id == null ? "" : String(entry.id);
  const time = dayAndTime(new Date(entry.timestamp ?? Number.NaN));
  const about = [time, id, ...messageFacts(entry)].filter(Boolean).join(" · ");
  const heading = `${io.style("bold", io.style(colour, oneLine(who)))}  ${io.style("dim", oneLine(about))}`;
  const body = text.trimEnd();
  return body === "" ? `${heading}\n\n` : `${heading}\n${body}\n\n`;
}

function aside(io: Io, text: string): string {
  return `${io.style("dim", `· ${text}`)}\n\n`;
}

function contentLines(content: Content): string {
  if (typeof content === "string") return safe(content);
  return (content ?? [])
    .map((each) => blockLines(each))
    .filter(Boolean)
    .join("\n");
}

function blockLines(each: Block): string {
  switch (each.type) {
    case "text":
      return safe(each.text ?? "");
    case "image":
      return imageWords(each);
    default:
      return "";
  }
}

function assistantLines(io: Io, content: Content, full: boolean): string {
  if (!Array.isArray(content)) return contentLines(content);
  return content
    .map((each) => {
      if (each.type === "toolCall")
        return io.style("yellow", `→ ${callLine(each.name, each.arguments, full)}`);
      if (each.type !== "thinking") return blockLines(each);
      const thinking = safe(each.thinking ?? "");
      return full && thinking ? io.style(["dim", "italic"], thinking) : "";
    })
    .filter(Boolean)
    .join("\n");
}

/** A tool call on one line: its name, and what it is about. */
function callLine(name = "?", args: Record<string, unknown> | null | undefined, full: boolean): string {
  if (full) return `${oneLine(name)} ${toJson(args ?? {}, 2)}`;
  return `${oneLine(name)} ${cut(callAbout(args), 160)}`;
}

/** The calls that a tool made, each on a line; each line ended. */
function nestedLines(io: Io, words: NestedCallsWords | undefined, full: boolean): string {
  if (!words) return "";
  const { calls, notes } = words;
  const shown = full ? calls : calls.slice(0, FOLDED_LINES);
  const hidden = calls.slice(shown.length);
  const lines = nestedCallLines({
    calls: shown.map((each) => (full ? withArguments(each) : each)),
    notes: [],
  });
  const more = hidden.length > 0 ? [moreCalls(hidden)] : [];
  return [...lines, ...more, ...notes]
    .map((line) => `${io.style("yellow", full ? line : cut(line, 160))}\n`)
    .join("");
}

function withArguments(words: NestedCallWords): NestedCallWords {
  return words.call.arguments ? { ...words, about: toJson(words.call.arguments, 2) } : words;
}

function fold(text: string, full: boolean): string {
  const clean = text.trimEnd();
  if (full) return clean;
  const lines = clean.split("\n");
  const shown = lines.slice(0, FOLDED_LINES).map((line) => cut(line, 400));
  const hidden = lines.length - shown.length;
  return hidden > 0 ? `${shown.join("\n")}\n… ${counted(hidden, "more line")}` : shown.join("\n");
}
