import type { Block, Content, Entry, Message } from "../../index.ts";
import { asideLine } from "../wording/preview.ts";
import { counted, cut, oneLine, safe } from "../wording/text.ts";
import { dayAndTime } from "../wording/times.ts";
import type { Io } from "./io.ts";
import { toJson } from "./json.ts";

/** Lines of a tool's output that are shown unless everything is asked for. */
const FOLDED_LINES = 8;

type Format = Parameters<Io["style"]>[0];

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
      return entry.message
        ? messageBlock(entry, entry.message, options)
        : aside(io, "a message that was not read");
    case "compaction":
      return block(io, entry, "compaction", "magenta", safe(entry.summary ?? ""));
    case "branch_summary":
      return block(io, entry, "branch summary", "magenta", safe(entry.summary ?? ""));
    case "session_summary":
      return block(io, entry, "session summary", "magenta", safe(entry.summary ?? ""));
    case "custom_message":
      return block(io, entry, `custom ${entry.customType ?? ""}`, "magenta", contentLines(entry.content));
    default: {
      const line = asideLine(entry);
      if (line !== undefined) return aside(io, line);
      return options.full ? block(io, entry, titleOfOther(entry), "dim", rawLines(entry)) : "";
    }
  }
}

/** The name of an entry pidex has no words for. */
function titleOfOther(entry: Entry): string {
  return entry.type === "custom" ? `custom ${entry.customType ?? ""}` : entry.type;
}

/** The fields of such an entry, as they are. */
function rawLines(entry: Entry): string {
  const { type: _, id: __, parentId: ___, timestamp: ____, ...rest } = entry;
  return toJson(rest, 2);
}

function messageBlock(entry: Entry, message: Message, { io, full }: Transcript): string {
  switch (message.role) {
    case "user":
      return block(io, entry, "user", "green", contentLines(message.content));
    case "assistant": {
      const error = message.errorMessage
        ? `\n${io.style("red", `error: ${safe(message.errorMessage)}`)}`
        : "";
      return block(
        io,
        entry,
        "assistant",
        "cyan",
        assistantLines(io, message.content, full) + error,
        message.model,
      );
    }
    case "toolResult": {
      const colour = message.isError ? "red" : "dim";
      const name = `${message.toolName ?? "tool"}${message.isError ? " failed" : ""}`;
      return block(io, entry, name, colour, fold(contentLines(message.content), full));
    }
    case "bashExecution":
      return block(
        io,
        entry,
        "bash",
        "yellow",
        `$ ${safe(message.command ?? "")}\n${fold(safe(message.output ?? ""), full)}`,
      );
    case "branchSummary":
    case "compactionSummary":
      return block(io, entry, message.role, "magenta", safe(message.summary ?? ""));
    case "custom":
      return block(io, entry, `custom ${message.customType ?? ""}`, "magenta", contentLines(message.content));
    case "system":
      return full ? block(io, entry, "system", "magenta", contentLines(message.content)) : "";
    default:
      return full
        ? block(io, entry, String((message as { role?: unknown }).role), "dim", toJson(message, 2))
        : "";
  }
}

/** A heading and a text, which must be safe for a terminal already: it may hold styles of ours. */
function block(io: Io, entry: Entry, who: string, format: Format, text = "", model = ""): string {
  const id = entry.id == null ? "" : String(entry.id);
  const about = [dayAndTime(new Date(entry.timestamp ?? Number.NaN)), id, model].filter(Boolean).join(" · ");
  const heading = `${io.style("bold", io.style(format, oneLine(who)))}  ${io.style("dim", oneLine(about))}`;
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
      return `[image ${oneLine(each.mimeType ?? "")}, ${Math.round(((each.data?.length ?? 0) * 3) / 4)} bytes]`;
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
  const about = args?.command ?? args?.path ?? args?.file_path ?? args?.pattern ?? args?.query;
  const text = typeof about === "string" ? about : toJson(args ?? {});
  return `${oneLine(name)} ${cut(oneLine(text.slice(0, 1000)), 160)}`;
}

function fold(text: string, full: boolean): string {
  const clean = text.trimEnd();
  if (full) return clean;
  const lines = clean.split("\n");
  const shown = lines.slice(0, FOLDED_LINES).map((line) => cut(line, 400));
  const hidden = lines.length - shown.length;
  return hidden > 0 ? `${shown.join("\n")}\n… ${counted(hidden, "more line")}` : shown.join("\n");
}
