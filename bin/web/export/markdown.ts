/** Markdown exports: prose stays Markdown, everything else becomes code blocks. */
import type { LocatedEntry } from "../../../library/index.ts";
import { toSafeText } from "../../format/bounded-text.ts";
import { type Edit, extractEdit, summarizeCall } from "../../format/edits.ts";
import { describeImage } from "../../format/images.ts";
import { toSafeJson } from "../../format/json-text.ts";
import { type FormattedNestedCalls, nestedIndent } from "../../format/nested-calls.ts";
import {
  type CallPart,
  type ExecutionPart,
  type Heading,
  type ImagePart,
  NOTICE_KINDS,
  type Part,
} from "../../format/parts.ts";
import { toOneLine } from "../../format/safe.ts";
import { getTitleAsHeading } from "../../format/short-titles.ts";
import { formatDateTime } from "../../format/times.ts";
import { toTranscript } from "../../format/transcript.ts";
import type { ExportContent } from "./export-content.ts";
import { toDataUrl } from "./images.ts";
import { escapeMarkdown, toCodeBlock, toInlineCode, toSafeMarkdown } from "./markdown-text.ts";
import { toSessionFacts } from "./session-facts.ts";

export async function* toMarkdown(content: ExportContent): AsyncGenerator<string> {
  const { title, about, sessions, images, isMasked, isCollection, getStopReason } = content;
  yield `# ${escapeMarkdown(title)}\n\n`;
  yield `${escapeMarkdown(about)}${isMasked ? ", likely secrets masked" : ""}\n\n`;
  let number = 0;
  for await (const { session, entries } of sessions) {
    number++;
    if (isCollection) yield `---\n\n# ${escapeMarkdown(getTitleAsHeading(session))}\n\n`;
    const facts = toSessionFacts(session).map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}\n`);
    yield `${facts.join("")}\n`;
    for await (const placed of entries())
      for (const block of entryBlocks(placed, images)) yield `${block}\n\n`;
  }
  if (number === 0) yield "No sessions match.\n";
  const message = getStopReason();
  if (message !== undefined) yield `---\n\n${emphasized(`${message}.`)}\n`;
}

/** The blocks of an entry, each without a trailing newline. */
function entryBlocks({ entry }: LocatedEntry, images: boolean): string[] {
  const { kind, heading, parts } = toTranscript(entry);
  const blocks = parts.flatMap((part) => partBlocks(part, images));
  return NOTICE_KINDS.has(kind) ? blocks : [formatHeading(heading), ...blocks];
}

function partBlocks(part: Part, images: boolean): string[] {
  switch (part.kind) {
    case "text":
      return part.text.trim() ? [toSafeMarkdown(part.text)] : [];
    case "thinking":
      return part.text.trim() ? ["Thinking:", toCodeBlock(toSafeText(part.text.trim()))] : [];
    case "call":
      return formatCall(part);
    case "image":
      return [formatImage(part, images)];
    case "result": {
      const content = part.content.flatMap((each) => {
        if (each.kind === "text") return [toCodeBlock(toSafeText(each.text))];
        return each.kind === "image" ? [formatImage(each, images)] : [];
      });
      const diff = part.diff === undefined ? [] : [toCodeBlock(toSafeText(part.diff), "diff")];
      return [...nestedBlocks(part.nested), ...content, ...diff];
    }
    case "execution":
      return formatExecution(part);
    case "files":
      return part.files.flatMap(({ path = "?", content = "" }) => [
        toInlineCode(toOneLine(path)),
        toCodeBlock(toSafeText(content)),
      ]);
    case "error":
      return ["**Error**", toCodeBlock(toSafeText(part.text))];
    case "notice":
      return [emphasized(part.text)];
    case "json":
      return [toCodeBlock(toSafeJson(part.value, 2), "json")];
    case "unknown-block":
      return [toCodeBlock(toSafeJson(part.block, 2), "json")];
    case "aborted":
      return [];
  }
}

/** A list of the calls that a tool made, each followed by its change. */
function nestedBlocks({ calls, notes }: FormattedNestedCalls = { calls: [], notes: [] }): string[] {
  const blocks = calls.flatMap(({ call, name, about, facts, error }) => {
    const edit = extractEdit(call.name, call.arguments);
    const line = [
      `${nestedIndent(call)}- **${escapeMarkdown(name)}**`,
      about && toInlineCode(about),
      facts && `(${escapeMarkdown(facts)})`,
    ];
    const hasMore = call.arguments && Object.keys(call.arguments).length > 1;
    return [
      line.filter(Boolean).join(" "),
      ...(error === "" ? [] : [toCodeBlock(toSafeText(error))]),
      ...(edit ? [formatDiff(edit)] : hasMore ? [toCodeBlock(toSafeJson(call.arguments, 2), "json")] : []),
    ];
  });
  return [...blocks, ...notes.map(emphasized)];
}

function formatCall(call: CallPart): string[] {
  const { name, about, edit } = summarizeCall(call.name, call.arguments);
  const line = `**${escapeMarkdown(name)}** ${toInlineCode(about)}`;
  if (!edit) return [line, toCodeBlock(toSafeJson(call.arguments, 2), "json")];
  return [`${line} +${edit.added} −${edit.removed}`, formatDiff(edit)];
}

function formatDiff({ lines }: Edit): string {
  return toCodeBlock(toSafeText(lines.join("\n")), "diff");
}

function formatExecution({ language, prompt, command, output, exitCode }: ExecutionPart): string[] {
  const blocks =
    language === "bash"
      ? [toCodeBlock(`${prompt} ${toSafeText(command)}\n${toSafeText(output)}`)]
      : [toCodeBlock(toSafeText(command), language), toCodeBlock(toSafeText(output))];
  return exitCode ? [...blocks, `Exit code ${exitCode}`] : blocks;
}

function formatImage({ image }: ImagePart, images: boolean): string {
  const address = images ? toDataUrl(image) : undefined;
  return address === undefined ? escapeMarkdown(describeImage(image)) : `![picture](${address})`;
}

function formatHeading({ who, time, facts }: Heading): string {
  const date = Number.isNaN(time.getTime()) ? "" : formatDateTime(time);
  return `## ${[who, date, ...facts].filter(Boolean).map(escapeMarkdown).join(" · ")}`;
}

function emphasized(text: string): string {
  return `*${escapeMarkdown(text)}*`;
}
