import type { Content, Entry, Message } from "./entries.ts";
import { isRecord } from "./json.ts";
import { type NestedCalls, nestedCalls } from "./nested-calls.ts";

/** The words of an entry by who brought them in, which is how search weighs them. */
export interface EntryText {
  /** What people and models said: messages, summaries, names, labels, custom messages, error messages. */
  said: string;
  /** What the model thought. */
  thought: string;
  /** What was asked of tools: their names and arguments, and shell commands. */
  called: string;
  /** What tools and shell commands answered. */
  output: string;
}

export type TextPart = keyof EntryText;

/** The parts in the order in which they are shown, where more than one would do. */
export const PARTS: readonly TextPart[] = ["said", "called", "output", "thought"];

/** The text blocks of a content, joined as pi joins them for its lists: by one space. */
export function contentText(content: Content, separator = " "): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join(separator);
}

/** The text of a message of the user's or the assistant's, which `allMessagesText` is made of; "" of any other entry. */
export function conversationText(entry: Entry): string {
  const message = entry.type === "message" ? entry.message : undefined;
  return message?.role === "user" || message?.role === "assistant" ? contentText(message.content) : "";
}

/**
 * All searchable text of an entry. Images, signatures, system prompts and the state extensions keep in
 * `custom` entries are left out: nobody looks for those by word.
 */
export function entryText(entry: Entry): EntryText {
  const text: EntryText = { said: "", thought: "", called: "", output: "" };
  switch (entry.type) {
    case "message":
      if (entry.message) messageText(entry.message, text);
      break;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      text.said = entry.summary ?? "";
      break;
    case "custom_message":
      text.said = contentText(entry.content);
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

function messageText(message: Message, text: EntryText): void {
  switch (message.role) {
    case "user":
    case "custom":
    case "developer":
      text.said = contentText(message.content);
      break;
    case "assistant":
      assistantText(message.content, text);
      if (message.errorMessage) text.said = joined(text.said, message.errorMessage);
      break;
    case "toolResult":
      text.output = contentText(message.content);
      nestedText(nestedCalls(message), text);
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
      text.called = listed(message.files, "path");
      text.output = listed(message.files, "content");
      break;
    case "branchSummary":
    case "compactionSummary":
      text.said = message.summary ?? "";
      break;
    default:
      break;
  }
}

function assistantText(content: Content, text: EntryText): void {
  if (!Array.isArray(content)) {
    text.said = content ?? "";
    return;
  }
  for (const block of content) {
    if (block.type === "text") text.said = joined(text.said, block.text ?? "");
    else if (block.type === "thinking") text.thought = joined(text.thought, block.thinking ?? "");
    else if (block.type === "toolCall") {
      const { name = "", namespace } = block;
      const called = namespace && !name.includes(namespace) ? `${namespace} ${name}` : name;
      text.called = joined(text.called, `${called} ${argumentText(block.arguments)}`);
    }
  }
}

/** The words of calls that a tool made: what it called is `called`, and what went wrong `output`. */
function nestedText(nested: NestedCalls | undefined, text: EntryText): void {
  if (!nested) return;
  const { calls } = nested;
  text.called = calls.map(({ name, arguments: args }) => `${name} ${argumentText(args)}`.trim()).join("\n");
  // A script that ends by an error tells the error in its own output.
  const errors = calls.flatMap(({ error }) => (error && !text.output.includes(error) ? [error] : []));
  text.output = [text.output, ...errors].filter(Boolean).join("\n");
}

/** The strings and numbers among a tool call's arguments, however deep, in order. */
function argumentText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (depth >= 8 || typeof value !== "object" || value === null) return "";
  return Object.values(value)
    .map((inner) => argumentText(inner, depth + 1))
    .filter(Boolean)
    .join("\n");
}

function listed<K extends string>(
  files: readonly Partial<Record<K, string | undefined>>[] | null | undefined,
  key: K,
): string {
  return (files ?? [])
    .map((file) => file[key] ?? "")
    .filter(Boolean)
    .join("\n");
}

function joined(before: string, after: string): string {
  return before && after ? `${before}\n${after}` : before || after;
}

/** The tool calls of an entry: only assistant messages hold any. */
export function toolCalls(
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
