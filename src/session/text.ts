import type { Content, Entry, Message } from "./entries.ts";
import { isRecord } from "./json.ts";
import { type NestedCalls, parseNestedCalls } from "./nested-calls.ts";

/** The text of an entry by origin; search weights each part differently. */
export interface EntryText {
  /** Text of users and models: messages, summaries, names, labels, custom messages, error messages. */
  said: string;
  /** The model's thinking. */
  thought: string;
  /** Tool calls: names and arguments, and shell commands. */
  called: string;
  /** Output of tools and shell commands. */
  output: string;
}

export type TextPart = keyof EntryText;

/** The parts in order of preference for display. */
export const TEXT_PARTS: readonly TextPart[] = ["said", "called", "output", "thought"];

/** The text blocks of a message's content, joined by `separator`: by default a space, as in pi's lists. */
export function extractContentText(content: Content, separator = " "): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join(separator);
}

/** The text of a user or assistant message, as used in `allMessagesText`; "" for any other entry. */
export function extractConversationText(entry: Entry): string {
  const message = entry.type === "message" ? entry.message : undefined;
  return message?.role === "user" || message?.role === "assistant" ? extractContentText(message.content) : "";
}

/**
 * All searchable text of an entry. Excludes images, signatures, system prompts and the state of extensions (`custom` entries).
 */
export function extractEntryText(entry: Entry): EntryText {
  const text: EntryText = { said: "", thought: "", called: "", output: "" };
  switch (entry.type) {
    case "message":
      if (entry.message) addMessage(entry.message, text);
      break;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      text.said = entry.summary ?? "";
      break;
    case "custom_message":
      text.said = extractContentText(entry.content);
      break;
    case "label":
      text.said = entry.label ?? "";
      break;
    case "session_info":
      text.said = entry.name ?? "";
      break;
    case "title_change":
      text.said = entry.title ?? "";
      break;
    case "usage":
      text.said = entry.note ?? "";
      break;
    default:
      break;
  }
  return text;
}

function addMessage(message: Message, text: EntryText): void {
  switch (message.role) {
    case "user":
    case "custom":
    case "developer":
      text.said = extractContentText(message.content);
      break;
    case "assistant":
      addAssistantContent(message.content, text);
      if (message.errorMessage) text.said = joinLines(text.said, message.errorMessage);
      break;
    case "toolResult":
      text.output = extractContentText(message.content);
      addNestedCalls(parseNestedCalls(message), text);
      break;
    case "bashExecution":
      text.called = message.command ?? "";
      text.output = message.output ?? "";
      break;
    case "pythonExecution":
      text.called = message.code ?? "";
      text.output = message.output ?? "";
      break;
    case "fileMention":
      text.called = joinField(message.files, "path");
      text.output = joinField(message.files, "content");
      break;
    case "branchSummary":
    case "compactionSummary":
      text.said = message.summary ?? "";
      break;
    default:
      break;
  }
}

function addAssistantContent(content: Content, text: EntryText): void {
  if (!Array.isArray(content)) {
    text.said = content ?? "";
    return;
  }
  for (const block of content) {
    if (block.type === "text") text.said = joinLines(text.said, block.text ?? "");
    else if (block.type === "thinking") text.thought = joinLines(text.thought, block.thinking ?? "");
    else if (block.type === "toolCall") {
      const { name = "", namespace } = block;
      const called = namespace && !name.includes(namespace) ? `${namespace} ${name}` : name;
      text.called = joinLines(text.called, `${called} ${argumentText(block.arguments)}`);
    }
  }
}

/** Adds calls made by a tool: names and arguments to `called`, errors to `output`. */
function addNestedCalls(nested: NestedCalls | undefined, text: EntryText): void {
  if (!nested) return;
  const { calls } = nested;
  text.called = calls.map(({ name, arguments: args }) => `${name} ${argumentText(args)}`.trim()).join("\n");
  // A script that fails repeats the error in its own output.
  const errors = calls.flatMap(({ error }) => (error && !text.output.includes(error) ? [error] : []));
  text.output = [text.output, ...errors].filter(Boolean).join("\n");
}

/** The strings and numbers in a tool call's arguments, in order, at most 8 levels deep. */
function argumentText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (depth >= 8 || typeof value !== "object" || value === null) return "";
  return Object.values(value)
    .map((inner) => argumentText(inner, depth + 1))
    .filter(Boolean)
    .join("\n");
}

function joinField<K extends string>(
  files: readonly Partial<Record<K, string | undefined>>[] | null | undefined,
  key: K,
): string {
  return (files ?? [])
    .map((file) => file[key] ?? "")
    .filter(Boolean)
    .join("\n");
}

function joinLines(before: string, after: string): string {
  return before && after ? `${before}\n${after}` : before || after;
}

/** The tool calls of an entry: only assistant messages hold any. */
export function extractToolCalls(
  entry: Entry,
): { id?: string; name?: string; arguments?: Record<string, unknown> }[] {
  if (entry.type !== "message" || entry.message?.role !== "assistant") return [];
  const { content } = entry.message;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    block.type === "toolCall" && isRecord(block)
      ? [{ id: block.id, name: block.name, arguments: block.arguments ?? undefined }]
      : [],
  );
}
