/** Entries in words: who speaks, what a call is about, what stands for a picture. */
import type { Block, Entry } from "../../index.ts";
import { toJson } from "./json-text.ts";
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

/** The fields of an entry that pidex has no words for, as they are, as JSON that is safe for a terminal. */
export function fieldsOf(entry: Entry): string {
  const { type: _, id: __, parentId: ___, timestamp: ____, ...rest } = entry;
  return toJson(rest, 2);
}

/** What stands for a picture where none can be shown. */
export function imageWords({ mimeType, data }: Extract<Block, { type: "image" }>): string {
  return `[image ${oneLine(mimeType ?? "")}, ${Math.round(((data?.length ?? 0) * 3) / 4)} bytes]`;
}

/** What a tool is called for, on one line that is safe for a terminal: of a long one, the beginning. */
export function callAbout(args: Record<string, unknown> | null | undefined): string {
  const about = args?.command ?? args?.path ?? args?.file_path ?? args?.pattern ?? args?.query;
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
      return `model ${oneLine([entry.provider, entry.modelId].filter(Boolean).join("/")) || "?"}`;
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
