import type { Block, Content, Entry, Message } from "../../../library/index.ts";
import { clean, firstLines, startOf } from "../../format/bounded-text.ts";
import {
  asideLine,
  fieldsOf,
  imageWords,
  mentionedText,
  messageFacts,
  UNREAD_MESSAGE,
  voiceOf,
} from "../../format/entry-words.ts";
import { toJson } from "../../format/json-text.ts";
import { moreCalls, nestedCallLines, nestedCallsWords } from "../../format/nested-calls.ts";
import { counted, oneLine } from "../../format/safe.ts";
import { dayAndTime } from "../../format/times.ts";
import { callLines } from "./call-lines.ts";
import type { Look } from "./look.ts";
import { markdownLines } from "./markdown-lines.ts";
import { diffLines, fromFirstChange, outputLines } from "./output-lines.ts";
import { columnsOf, cutTo, rowsOf } from "./rows.ts";

/** Rows that one entry may take: nobody scrolls further, and more would fill the memory. */
const MOST_ROWS = 20_000;
/** Calls of a script that are shown of what is folded. */
const FOLDED_CALLS = 8;

/**
 * The lines of one entry in a pane, without a blank one at its end; none for an entry that says nothing to a person and is
 * folded. Whatever the entry holds, no line is wider than `width` columns (10 or more), each ends the styles it begins, and none
 * holds any other control character.
 */
export function entryLines(entry: Entry, options: Look): string[] {
  const rows: string[] = [];
  for (const line of linesOf(entry, options)) {
    if (rows.length >= MOST_ROWS) {
      rows.push(options.theme.style("dim", "… more"));
      break;
    }
    for (const row of rowsOf(line, options.width)) rows.push(row);
  }
  return rows;
}

/** The lines before they are made to fit. */
function* linesOf(entry: Entry, look: Look): Generator<string> {
  switch (entry.type) {
    case "message":
      if (entry.message) yield* messageLines(entry, entry.message, look);
      else yield aside(UNREAD_MESSAGE, look);
      return;
    case "compaction":
    case "branch_summary":
    case "session_summary":
      yield heading(entry, look);
      yield* markdownLines(entry.summary ?? "", look);
      return;
    case "custom_message":
      yield heading(entry, look);
      yield* saidLines(entry.content, look);
      return;
    default: {
      const line = asideLine(entry);
      if (line !== undefined) yield aside(line, look);
      else if (look.unfolded) {
        yield heading(entry, look);
        yield* outputLines(fieldsOf(entry), look);
      }
    }
  }
}

function* messageLines(entry: Entry, message: Message, look: Look): Generator<string> {
  const isHidden = message.role === "system" || !isKnown(message);
  if (isHidden && !look.unfolded) return;
  yield heading(entry, look);
  switch (message.role) {
    case "assistant":
      yield* saidLines(message.content, look);
      if (message.errorMessage) {
        for (const line of outputLines(`error: ${message.errorMessage}`, look))
          yield look.theme.style("red", line);
      }
      return;
    case "user":
    case "custom":
    case "developer":
    case "system":
      yield* saidLines(message.content, look);
      return;
    case "toolResult":
      yield* resultLines(message, look);
      return;
    case "bashExecution":
      yield* outputLines(`$ ${message.command ?? ""}`, look);
      yield* outputLines(message.output ?? "", look);
      return;
    case "pythonExecution":
      yield* outputLines(`>>> ${message.code ?? ""}`, look);
      yield* outputLines(message.output ?? "", look);
      return;
    case "fileMention":
      yield* outputLines(mentionedText(message), look);
      return;
    case "branchSummary":
    case "compactionSummary":
      yield* markdownLines(message.summary ?? "", look);
      return;
    default:
      yield* outputLines(toJson(message, 2), look);
  }
}

const ROLES = [
  "user",
  "assistant",
  "toolResult",
  "bashExecution",
  "pythonExecution",
  "fileMention",
  "developer",
  "custom",
  "branchSummary",
  "compactionSummary",
];

function isKnown({ role }: Message): boolean {
  return ROLES.includes(String(role));
}

/** What was said, thought and called, one after the other. */
function* saidLines(content: Content, look: Look): Generator<string> {
  if (!Array.isArray(content)) {
    yield* markdownLines(content ?? "", look);
    return;
  }
  let before: string | undefined;
  for (const block of content) {
    const lines = blockLines(block, look);
    if (lines.length === 0) continue;
    const isApart = block.type !== before || look.unfolded;
    if (before !== undefined && isApart) yield "";
    yield* lines;
    before = block.type;
  }
}

function blockLines(block: Block, look: Look): string[] {
  switch (block.type) {
    case "text":
      return markdownLines(block.text ?? "", look);
    case "thinking":
      return thinkingLines(block.thinking ?? "", look);
    case "toolCall":
      return callLines(block.name, block.arguments, look);
    case "image":
      return [imageWords(block)];
    default:
      return [];
  }
}

function thinkingLines(thinking: string, { theme, unfolded }: Look): string[] {
  const text = thinking.trim();
  if (text === "") return [];
  if (!unfolded) {
    const { lines, more } = firstLines(text, 1);
    return [theme.style("dim", `thinking, ${counted(lines.length + more, "line")}`)];
  }
  const { start, more } = startOf(text);
  const lines = clean(start)
    .split("\n")
    .map((line) => theme.style(["dim", "italic"], line));
  return more === "" ? lines : [...lines, theme.style("dim", more)];
}

function* resultLines(message: Extract<Message, { role: "toolResult" }>, look: Look): Generator<string> {
  yield* nestedLines(message, look);
  for (const block of blocksOf(message.content)) {
    if (block.type === "text") yield* failing(outputLines(block.text ?? "", look), message.isError, look);
    else if (block.type === "image") yield imageWords(block);
  }
  const { diff } = (message.details ?? {}) as { diff?: unknown };
  if (typeof diff === "string" && diff !== "")
    yield* diffLines(look.unfolded ? diff : fromFirstChange(diff), look);
}

/** The calls that a tool made itself: some on a line each, or when unfolded all with their arguments. */
function* nestedLines(message: Extract<Message, { role: "toolResult" }>, look: Look): Generator<string> {
  const words = nestedCallsWords(message);
  if (!words) return;
  const { theme, unfolded, width } = look;
  const { calls, notes } = words;
  const shown = unfolded ? calls : calls.slice(0, FOLDED_CALLS);
  for (const each of shown) {
    const colour = each.call.status === "error" ? "red" : "yellow";
    const about = unfolded ? { ...each, about: "" } : each;
    for (const line of nestedCallLines({ calls: [about], notes: [] }))
      yield theme.style(colour, unfolded ? line : cutTo(line, width));
    if (unfolded && each.call.arguments) yield* outputLines(toJson(each.call.arguments, 2), look);
  }
  if (shown.length < calls.length) yield theme.style("dim", moreCalls(calls.slice(shown.length)));
  for (const note of notes) yield theme.style("dim", note);
}

function blocksOf(content: Content): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function failing(lines: string[], isError: boolean | undefined, { theme }: Look): string[] {
  return isError ? lines.map((line) => theme.style("red", line)) : lines;
}

function aside(text: string, { theme, width }: Look): string {
  return theme.style("dim", cutTo(`· ${text}`, width));
}

/** Who, and when, by which model, and its id, as far as there is room. */
function heading(entry: Entry, { theme, width }: Look): string {
  const { who, colour } = voiceOf(entry);
  const message = entry.type === "message" ? entry.message : undefined;
  const isCommand = message?.role === "bashExecution" || message?.role === "pythonExecution";
  const hasFailed = isCommand && Boolean(message.exitCode);
  const name = cutTo(oneLine(`${who.slice(0, 1000)}${hasFailed ? " failed" : ""}`), width);
  const time = dayAndTime(new Date(entry.timestamp ?? Number.NaN));
  const facts = [time, ...messageFacts(entry), entry.id ?? undefined];
  let about = "";
  for (const fact of facts) {
    const text = oneLine(String(fact ?? "").slice(0, 1000));
    const longer = about === "" ? text : `${about} · ${text}`;
    if (text !== "" && columnsOf(name) + 2 + columnsOf(longer) <= width) about = longer;
  }
  const title = theme.style("bold", theme.style(hasFailed ? "red" : colour, name));
  return about === "" ? title : `${title}  ${theme.style("dim", about)}`;
}
