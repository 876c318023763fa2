/** An entry as a model reads it: what was said, called and put out, as plain text. */
import type { Block, Content, Entry, Message } from "../../library/index.ts";
import { asideLine, imageWords, mentionedText, UNREAD_MESSAGE, voiceOf } from "../format/entry-words.ts";
import { toJson } from "../format/json-text.ts";
import { nestedCallLines, nestedCallsWords } from "../format/nested-calls.ts";
import { nameIn } from "./told.ts";

export interface EntryWords {
  who: string;
  /** Empty where an entry says nothing to anybody. */
  text: string;
}

export function wordsOf(entry: Entry, options: { thinking: boolean }): EntryWords {
  return { who: nameIn(voiceOf(entry).who), text: textOf(entry, options).trim() };
}

function textOf(entry: Entry, options: { thinking: boolean }): string {
  switch (entry.type) {
    case "message":
      return entry.message ? messageText(entry.message, options) : UNREAD_MESSAGE;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      return entry.summary ?? "";
    case "custom_message":
      return contentText(entry.content, options);
    default:
      return asideLine(entry) ?? "";
  }
}

function messageText(message: Message, options: { thinking: boolean }): string {
  switch (message.role) {
    case "user":
    case "custom":
    case "developer":
      return contentText(message.content, options);
    case "toolResult": {
      const nested = nestedCallsWords(message);
      // As calls of a model: with all their arguments.
      const calls = nested?.calls.map((each) => ({
        ...each,
        about: each.call.arguments ? argumentsText(each.call.arguments) : "",
      }));
      const lines = nested && calls ? nestedCallLines({ ...nested, calls }) : [];
      return [...lines, contentText(message.content, options)].filter(Boolean).join("\n");
    }
    case "assistant":
      return [contentText(message.content, options), message.errorMessage && `error: ${message.errorMessage}`]
        .filter(Boolean)
        .join("\n");
    case "bashExecution":
      return `$ ${message.command ?? ""}\n${message.output ?? ""}`;
    case "pythonExecution":
      return `>>> ${message.code ?? ""}\n${message.output ?? ""}`;
    case "fileMention":
      return mentionedText(message);
    case "branchSummary":
    case "compactionSummary":
      return message.summary ?? "";
    case "system":
      return "";
    default:
      return toJson(message);
  }
}

function contentText(content: Content, options: { thinking: boolean }): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((block) => blockText(block, options))
    .filter(Boolean)
    .join("\n");
}

function blockText(block: Block, { thinking }: { thinking: boolean }): string {
  switch (block.type) {
    case "text":
      return block.text ?? "";
    case "thinking":
      return thinking && block.thinking ? `(thinking) ${block.thinking}` : "";
    case "toolCall":
      return `→ ${block.name ?? "?"} ${argumentsText(block.arguments)}`;
    case "image":
      return imageWords(block);
    default:
      return "";
  }
}

/** What a tool is called with: texts as they are, on lines of their own where they have some. */
function argumentsText(args: Record<string, unknown> | null | undefined): string {
  const given = Object.entries(args ?? {});
  if (given.length === 1 && typeof given[0]?.[1] === "string") return given[0][1];
  return given
    .map(([name, value]) => {
      if (typeof value !== "string") return `${name}: ${toJson(value)}`;
      return value.includes("\n") ? `${name}:\n${value}` : `${name}: ${value}`;
    })
    .join("; ");
}
