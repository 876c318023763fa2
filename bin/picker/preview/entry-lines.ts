import type { Entry } from "../../../library/index.ts";
import { firstLines, toTerminalText, truncateText } from "../../format/bounded-text.ts";
import { describeImage } from "../../format/images.ts";
import { toSafeJson } from "../../format/json-text.ts";
import { type FormattedNestedCalls, formatHiddenCalls, nestedCallLines } from "../../format/nested-calls.ts";
import {
  DETAIL_KINDS,
  formatMentionedFiles,
  NOTICE_KINDS,
  type Part,
  type ResultPart,
  type TranscriptEntry,
} from "../../format/parts.ts";
import { formatCount, toOneLine } from "../../format/safe.ts";
import { formatDateTime } from "../../format/times.ts";
import { toTranscript } from "../../format/transcript.ts";
import { renderCall } from "./call-lines.ts";
import { renderMarkdown } from "./markdown-lines.ts";
import { type RenderOptions, renderDiff, renderOutput, trimToFirstChange } from "./output-lines.ts";
import { cutToColumns, measureColumns, wrapLine } from "./rows.ts";

/** Maximum number of rows per entry, to limit memory. */
const MAX_ROWS = 20_000;
/** Maximum number of nested calls shown while folded. */
const FOLDED_CALLS = 8;

/**
 * Renders an entry as lines, without a blank line at the end. Folded entries that only contain details have none. Whatever the entry
 * contains, no line is wider than `width` columns (10 or more), each line ends the styles it starts, and lines contain no other control
 * characters.
 */
export function renderEntry(entry: Entry, options: RenderOptions): string[] {
  const { theme, width } = options;
  const all = linesOf(toTranscript(entry), options).flatMap((line) => wrapLine(line, width));
  const rows = [...all.take(MAX_ROWS + 1)];
  if (rows.length > MAX_ROWS) rows[MAX_ROWS] = theme.style("dim", "… more");
  return rows;
}

/** The lines before wrapping. */
function* linesOf(entry: TranscriptEntry, look: RenderOptions): Generator<string> {
  if (DETAIL_KINDS.has(entry.kind) && !look.isExpanded) return;
  if (look.isSummary && !look.isExpanded) {
    yield* summaryLines(entry, look);
    return;
  }
  if (!NOTICE_KINDS.has(entry.kind)) yield formatHeading(entry, look);
  let before: Part["kind"] | undefined;
  for (const part of entry.parts) {
    const isSeparate =
      before !== undefined && part.kind !== "error" && (part.kind !== before || look.isExpanded);
    let isEmpty = true;
    for (const line of partLines(part, look)) {
      if (isEmpty && isSeparate) yield "";
      yield line;
      isEmpty = false;
    }
    if (!isEmpty) before = part.kind;
  }
}

/** Kinds without a place in a summary of the conversation. */
const SUMMARY_OMITS: ReadonlySet<TranscriptEntry["kind"]> = new Set(["tool", "files", "notice"]);

/** Texts below a heading, with a blank line above it, and calls on one line each. Entries with calls only have no heading. */
function* summaryLines(entry: TranscriptEntry, look: RenderOptions): Generator<string> {
  if (SUMMARY_OMITS.has(entry.kind)) return;
  let hasHeading = false;
  for (const part of entry.parts) {
    if (part.kind === "thinking" || part.kind === "result" || part.kind === "json") continue;
    const isOneLine = part.kind === "call" || part.kind === "execution";
    const lines =
      part.kind === "execution"
        ? [
            look.theme.style(
              "yellow",
              cutToColumns(toOneLine(`${part.prompt} ${part.command.slice(0, 1000)}`), look.width),
            ),
          ]
        : [...partLines(part, look)];
    if (lines.length === 0) continue;
    if (!isOneLine && !hasHeading) {
      yield "";
      yield formatHeading(entry, look);
      hasHeading = true;
    }
    yield* lines;
  }
}

function partLines(part: Part, look: RenderOptions): Iterable<string> {
  const { theme, width } = look;
  switch (part.kind) {
    case "text":
      return renderMarkdown(part.text, look);
    case "thinking":
      return thinkingLines(part.text, look);
    case "call":
      return renderCall(part, look);
    case "image":
      return [describeImage(part.image)];
    case "result":
      return resultLines(part, look);
    case "execution":
      return [...renderOutput(`${part.prompt} ${part.command}`, look), ...renderOutput(part.output, look)];
    case "files":
      return renderOutput(formatMentionedFiles(part.files), look);
    case "error":
      return renderOutput(`error: ${part.text}`, look).map((line) => theme.style("red", line));
    case "notice":
      return [theme.style("dim", cutToColumns(`· ${part.text}`, width))];
    case "json":
      return renderOutput(toSafeJson(part.value, 2), look);
    case "aborted":
    case "unknown-block":
      return [];
  }
}

function thinkingLines(thinking: string, { theme, isExpanded }: RenderOptions): string[] {
  const text = thinking.trim();
  if (text === "") return [];
  if (!isExpanded) {
    const { lines, more } = firstLines(text, 1);
    return [theme.style("dim", `thinking, ${formatCount(lines.length + more, "line")}`)];
  }
  const { start, more } = truncateText(text);
  const lines = toTerminalText(start)
    .split("\n")
    .map((line) => theme.style(["dim", "italic"], line));
  return more === "" ? lines : [...lines, theme.style("dim", more)];
}

function* resultLines(
  { nested, content, diff, isError }: ResultPart,
  look: RenderOptions,
): Generator<string> {
  const { theme, isExpanded } = look;
  if (nested) yield* nestedLines(nested, look);
  for (const part of content) {
    if (part.kind === "image") yield describeImage(part.image);
    if (part.kind !== "text") continue;
    for (const line of renderOutput(part.text, look)) yield isError ? theme.style("red", line) : line;
  }
  if (diff !== undefined) yield* renderDiff(isExpanded ? diff : trimToFirstChange(diff), look);
}

/** The calls that a tool made, one per line; if unfolded, all of them with their arguments. */
function* nestedLines({ calls, notes }: FormattedNestedCalls, look: RenderOptions): Generator<string> {
  const { theme, isExpanded, width } = look;
  const shown = isExpanded ? calls : calls.slice(0, FOLDED_CALLS);
  for (const each of shown) {
    const color = each.call.status === "error" ? "red" : "yellow";
    const about = isExpanded ? { ...each, about: "" } : each;
    for (const line of nestedCallLines({ calls: [about], notes: [] }))
      yield theme.style(color, isExpanded ? line : cutToColumns(line, width));
    if (isExpanded && each.call.arguments) yield* renderOutput(toSafeJson(each.call.arguments, 2), look);
  }
  if (shown.length < calls.length) yield theme.style("dim", formatHiddenCalls(calls.slice(shown.length)));
  for (const note of notes) yield theme.style("dim", note);
}

/** Author, time, model and entry id, as far as they fit. */
function formatHeading({ heading, parts }: TranscriptEntry, { theme, width }: RenderOptions): string {
  const { who, color, time, facts, id } = heading;
  const hasFailed = parts.some((part) => part.kind === "execution" && part.exitCode);
  const name = cutToColumns(toOneLine(`${who.slice(0, 1000)}${hasFailed ? " failed" : ""}`), width);
  let about = "";
  for (const fact of [formatDateTime(time), ...facts, id]) {
    const text = toOneLine(String(fact ?? "").slice(0, 1000));
    const longer = about === "" ? text : `${about} · ${text}`;
    if (text !== "" && measureColumns(name) + 2 + measureColumns(longer) <= width) about = longer;
  }
  const title = theme.style("bold", theme.style(hasFailed ? "red" : color, name));
  return about === "" ? title : `${title}  ${theme.style("dim", about)}`;
}
