/** An export as Markdown: prose as it was written, all else as code. */
import type { Block, Content, Entry, Message, PlacedEntry } from "../../../library/index.ts";
import { shown } from "../../format/bounded-text.ts";
import { editOf } from "../../format/edits.ts";
import {
  asideLine,
  callAbout,
  fieldsOf,
  imageWords,
  messageFacts,
  UNREAD_MESSAGE,
  voiceOf,
} from "../../format/entry-words.ts";
import { toJson } from "../../format/json-text.ts";
import { nestedCallsWords, nestedIndent } from "../../format/nested-calls.ts";
import { oneLine } from "../../format/safe.ts";
import { dayAndTime } from "../../format/times.ts";
import { titleOf } from "../../format/titles.ts";
import type { Exporting } from "./exporting.ts";
import { factsOf } from "./facts.ts";
import { fenced, inlineCode, plainMarkdown, proseMarkdown } from "./markdown-text.ts";
import { pictureAddress } from "./pictures.ts";

export async function writeMarkdown({
  title,
  about,
  passages,
  images,
  isMasked,
  stopped,
  out,
}: Exporting): Promise<void> {
  await out(`# ${plainMarkdown(title)}\n\n`);
  await out(`${plainMarkdown(about)}${isMasked ? ", likely secrets masked" : ""}\n\n`);
  let number = 0;
  for await (const { session, entries, hits } of passages) {
    number++;
    if (hits) await out(`---\n\n# ${plainMarkdown(titleOf(session))}\n\n`);
    const facts = factsOf(session).map(([name, value]) => `- ${name}: ${plainMarkdown(value)}\n`);
    await out(`${facts.join("")}\n`);
    for await (const placed of entries())
      for (const part of partsOf(placed, images)) await out(`${part}\n\n`);
  }
  if (number === 0) await out("Nothing was found.\n");
  const missing = stopped();
  if (missing !== undefined) await out(`---\n\n${aside(`${missing}.`)}\n`);
}

/** What of an entry stands one below the other, each without a line end. */
function* partsOf({ entry }: PlacedEntry, images: boolean): Generator<string> {
  switch (entry.type) {
    case "message":
      if (entry.message) {
        yield heading(entry);
        yield* messageParts(entry.message, images);
      } else yield aside(UNREAD_MESSAGE);
      return;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      yield heading(entry);
      yield proseMarkdown(entry.summary ?? "");
      return;
    case "custom_message":
      yield heading(entry);
      yield* contentParts(entry.content, images);
      return;
    default: {
      const words = asideLine(entry);
      if (words !== undefined) yield aside(words);
      else {
        yield heading(entry);
        yield fenced(fieldsOf(entry), "json");
      }
    }
  }
}

function* messageParts(message: Message, images: boolean): Generator<string> {
  switch (message.role) {
    case "user":
    case "custom":
    case "developer":
    case "system":
      yield* contentParts(message.content, images);
      return;
    case "assistant":
      yield* contentParts(message.content, images);
      if (message.errorMessage) yield `**Error**\n\n${fenced(shown(message.errorMessage))}`;
      return;
    case "toolResult": {
      yield* nestedParts(message);
      for (const block of blocksOf(message.content)) {
        if (block.type === "text") yield fenced(shown(block.text ?? ""));
        else if (block.type === "image") yield picture(block, images);
      }
      const { diff } = (message.details ?? {}) as { diff?: unknown };
      if (typeof diff === "string" && diff !== "") yield fenced(shown(diff), "diff");
      return;
    }
    case "bashExecution": {
      const failed = message.exitCode ? `\n\nExit code ${message.exitCode}` : "";
      yield `${fenced(`$ ${shown(message.command ?? "")}\n${shown(message.output ?? "")}`)}${failed}`;
      return;
    }
    case "pythonExecution": {
      const failed = message.exitCode ? `\n\nExit code ${message.exitCode}` : "";
      yield `${fenced(shown(message.code ?? ""), "python")}\n\n${fenced(shown(message.output ?? ""))}${failed}`;
      return;
    }
    case "fileMention":
      for (const { path, content } of message.files ?? []) {
        yield `${inlineCode(oneLine(path ?? "?"))}\n\n${fenced(shown(content ?? ""))}`;
      }
      return;
    case "branchSummary":
    case "compactionSummary":
      yield proseMarkdown(message.summary ?? "");
      return;
    default:
      yield fenced(toJson(message, 2), "json");
  }
}

/** The calls that a tool made itself, as a list, and what they changed below. */
function* nestedParts(message: Extract<Message, { role: "toolResult" }>): Generator<string> {
  const words = nestedCallsWords(message);
  if (!words) return;
  for (const { call, name, about, facts, error } of words.calls) {
    const edit = editOf(call.name, call.arguments);
    const line = [
      `${nestedIndent(call)}- **${plainMarkdown(name)}**`,
      about && inlineCode(about),
      facts && `(${plainMarkdown(facts)})`,
    ];
    yield line.filter(Boolean).join(" ");
    if (error !== "") yield fenced(shown(error));
    if (edit) yield fenced(shown(edit.lines.join("\n")), "diff");
    else if (call.arguments && Object.keys(call.arguments).length > 1)
      yield fenced(toJson(call.arguments, 2), "json");
  }
  for (const note of words.notes) yield aside(note);
}

function* contentParts(content: Content, images: boolean): Generator<string> {
  for (const block of blocksOf(content)) {
    switch (block.type) {
      case "text":
        if (block.text?.trim()) yield proseMarkdown(block.text);
        break;
      case "thinking":
        if (block.thinking?.trim()) yield `Thinking:\n\n${fenced(shown(block.thinking.trim()))}`;
        break;
      case "toolCall":
        yield call(block);
        break;
      case "image":
        yield picture(block, images);
        break;
      default:
        yield fenced(toJson(block, 2), "json");
    }
  }
}

function blocksOf(content: Content): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function call({ name, arguments: args }: Extract<Block, { type: "toolCall" }>): string {
  const edit = editOf(name, args);
  const called = plainMarkdown(name ?? "?");
  if (!edit)
    return `**${called}** ${inlineCode(callAbout(args))}\n\n${fenced(toJson(args ?? {}, 2), "json")}`;
  const counts = `+${edit.added} −${edit.removed}`;
  return `**${called}** ${inlineCode(oneLine(edit.about))} ${counts}\n\n${fenced(shown(edit.lines.join("\n")), "diff")}`;
}

function picture(image: Extract<Block, { type: "image" }>, images: boolean): string {
  const address = images ? pictureAddress(image) : undefined;
  return address === undefined ? plainMarkdown(imageWords(image)) : `![picture](${address})`;
}

function heading(entry: Entry): string {
  const time = entry.timestamp === undefined ? "" : dayAndTime(new Date(entry.timestamp));
  const facts = [time, ...messageFacts(entry)].filter(Boolean).map((fact) => plainMarkdown(fact));
  return `## ${[plainMarkdown(voiceOf(entry).who), ...facts].join(" · ")}`;
}

function aside(words: string): string {
  return `*${plainMarkdown(words)}*`;
}
