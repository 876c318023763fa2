/** Entries in words: who speaks, what a call is about, what stands for a picture. */
import type { Block, Entry, Message } from "../../library/index.ts";
import { toJson } from "./json-text.ts";
import { duration } from "./numbers.ts";
import { oneLine } from "./safe.ts";

/** Who an entry is from, and the colour that tells them apart. */
export interface Voice {
  /** Not safe for a terminal yet. */
  who: string;
  colour: "green" | "cyan" | "yellow" | "magenta" | "red" | "dim";
}

/** What pidex has no message of, where one should be. */
export const UNREAD_MESSAGE = "a message that was not read";

/** Who an entry is from; of one that pidex has no words for, what it is called in its file. */
export function voiceOf(entry: Entry): Voice {
  switch (entry.type) {
    case "message":
      return messageVoice(entry.message);
    case "compaction":
      return { who: "compaction", colour: "magenta" };
    case "branch_summary":
      return { who: "branch summary", colour: "magenta" };
    case "session_summary":
      return { who: "session summary", colour: "magenta" };
    case "custom_message":
      return { who: `custom ${entry.customType ?? ""}`, colour: "magenta" };
    case "custom":
      return { who: `custom ${entry.customType ?? ""}`, colour: "dim" };
    default:
      return { who: entry.type, colour: "dim" };
  }
}

function messageVoice(message: Extract<Entry, { type: "message" }>["message"]): Voice {
  switch (message?.role) {
    case "user":
      return { who: "user", colour: "green" };
    case "assistant":
      return { who: "assistant", colour: "cyan" };
    case "toolResult": {
      const who = `${message.toolName ?? "tool"}${message.isError ? " failed" : ""}`;
      return { who, colour: message.isError ? "red" : "dim" };
    }
    case "bashExecution":
      return { who: "bash", colour: "yellow" };
    case "pythonExecution":
      return { who: "python", colour: "yellow" };
    case "fileMention":
      return { who: "files", colour: "dim" };
    case "developer":
      return { who: "developer", colour: "magenta" };
    case "branchSummary":
    case "compactionSummary":
    case "system":
      return { who: message.role, colour: "magenta" };
    case "custom":
      return { who: `custom ${message.customType ?? ""}`, colour: "magenta" };
    default:
      return { who: String((message as { role?: unknown } | undefined)?.role), colour: "dim" };
  }
}

/** What is known of an answer or a result beside its time: the model, how hard it thought, how long it took. Not safe for a terminal yet. */
export function messageFacts(entry: Entry): string[] {
  const message = entry.type === "message" ? entry.message : undefined;
  if (message?.role !== "assistant" && message?.role !== "toolResult") return [];
  const took = message.durationMs == null ? "" : duration(message.durationMs);
  if (message.role === "toolResult") return took === "" ? [] : [took];
  const { model = "", stopReason } = message;
  const isDeferred = stopReason === "deferred";
  return [model, thinkingWords(message), isDeferred ? "deferred" : "", took].filter(Boolean);
}

function thinkingWords(message: Extract<Message, { role: "assistant" }>): string {
  const { thinkingLevel: level, providerThinkingLevel: asked } = message;
  if (!level || level === "off") return "";
  return asked && asked !== level ? `thinking ${level} (${asked} at the provider)` : `thinking ${level}`;
}

/** The fields of an entry that pidex has no words for, as they are, as JSON that is safe for a terminal. */
export function fieldsOf(entry: Entry): string {
  const { type: _, id: __, parentId: ___, timestamp: ____, ...rest } = entry;
  return toJson(rest, 2);
}

/** A picture of an entry. `byteCount` is its size where its data was left out, as it is for the page. */
type Image = Extract<Block, { type: "image" }> & { byteCount?: unknown };

/** What stands for a picture where none can be shown. */
export function imageWords({ mimeType, data, byteCount }: Image): string {
  const size = data === undefined && typeof byteCount === "number" ? byteCount : decodedBytes(data ?? "");
  return `[image ${oneLine(mimeType ?? "")}, ${size} bytes]`;
}

const PADDING = 61;
const SPACE = 32;

/** How many bytes a text in base64 stands for: without its padding, line ends, and the start of a `data:` address. */
export function decodedBytes(base64: string): number {
  let digits = 0;
  const from = base64.startsWith("data:") ? base64.indexOf(",") + 1 : 0;
  for (let at = from; at < base64.length; at++) {
    const code = base64.charCodeAt(at);
    if (code === PADDING) break;
    if (code > SPACE) digits++;
  }
  return Math.floor((digits * 3) / 4);
}

/** What a tool is called for, on one line that is safe for a terminal: of a long one, the beginning. */
export function callAbout(args: Record<string, unknown> | null | undefined): string {
  const about = args?.command ?? args?.path ?? args?.file_path ?? args?.pattern ?? args?.query ?? args?.code;
  const text = typeof about === "string" ? about : toJson(args ?? {});
  return oneLine(text.slice(0, 1000));
}

/** What happened, for entries that say nothing but change something. */
export function asideLine(entry: Entry): string | undefined {
  switch (entry.type) {
    case "session_info":
      return `named ${oneLine(entry.name ?? "") || "nothing"}`;
    case "label":
      return `label ${oneLine(entry.label ?? "") || "cleared"} on ${oneLine(String(entry.targetId ?? "?"))}`;
    case "model_change":
      return `model ${oneLine(entry.model ?? [entry.provider, entry.modelId].filter(Boolean).join("/")) || "?"}${modelRole(entry.role)}`;
    case "title_change":
      return `named ${oneLine(entry.title ?? "") || "nothing"}`;
    case "model_usage":
      return `usage ${oneLine(entry.purpose ?? "")}`.trimEnd();
    case "child_usage_attributed":
      return `usage of children, called by ${oneLine(String(entry.targetId ?? "?"))}`;
    case "thinking_level_change":
      return `thinking ${oneLine(entry.thinkingLevel ?? "") || "?"}`;
    case "context_edit":
      return `context of ${oneLine(String(entry.targetId ?? "?"))} edited`;
    case "usage":
      return `usage ${oneLine([entry.kind, entry.note].filter(Boolean).join(": "))}`.trimEnd();
    case "custom":
      return entry.customType === "pidex" ? organisingWords(entry.data) : undefined;
    default:
      return undefined;
  }
}

function modelRole(role: string | undefined): string {
  return role === undefined || role === "default" ? "" : ` for ${oneLine(role)}`;
}

/** The files that a user named, and whatever of them the agent put into the session. */
export function mentionedText({ files }: Extract<Message, { role: "fileMention" }>): string {
  return (files ?? []).map(({ path, content }) => [path, content].filter(Boolean).join("\n")).join("\n\n");
}

/** How a session was sorted by its owner. What is of another shape sets nothing, and is shown as it is. */
function organisingWords(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { pinned, archived, tags } = data as Record<string, unknown>;
  const words: string[] = [];
  if (typeof pinned === "boolean") words.push(pinned ? "pinned" : "no longer pinned");
  if (typeof archived === "boolean") words.push(archived ? "archived" : "no longer archived");
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === "string"))
    words.push(tags.length > 0 ? `tags ${oneLine(tags.join(", "))}` : "no tags");
  return words.length > 0 ? words.join("; ") : undefined;
}
