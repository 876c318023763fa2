/** Markdown exports: prose stays Markdown, everything else becomes code blocks. */
import type { PlacedEntry } from "../../../library/index.ts";
import { shown } from "../../format/bounded-text.ts";
import { type Edit, editOf, summarizeCall } from "../../format/edits.ts";
import { describeImage } from "../../format/images.ts";
import { toJson } from "../../format/json-text.ts";
import { type NestedCallsWords, nestedIndent } from "../../format/nested-calls.ts";
import type { CallPart, ExecutionPart, Heading, ImagePart, Part } from "../../format/parts.ts";
import { oneLine } from "../../format/safe.ts";
import { dayAndTime } from "../../format/times.ts";
import { titleOf } from "../../format/titles.ts";
import { toTranscript } from "../../format/transcript.ts";
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
      for (const block of entryBlocks(placed, images)) await out(`${block}\n\n`);
  }
  if (number === 0) await out("No sessions match.\n");
  const message = stopped();
  if (message !== undefined) await out(`---\n\n${emphasized(`${message}.`)}\n`);
}

/** The blocks of an entry, each without a trailing newline. */
function entryBlocks({ entry }: PlacedEntry, images: boolean): string[] {
  const { kind, heading, parts } = toTranscript(entry);
  const blocks = parts.flatMap((part) => partBlocks(part, images));
  return kind === "notice" ? blocks : [formatHeading(heading), ...blocks];
}

function partBlocks(part: Part, images: boolean): string[] {
  switch (part.kind) {
    case "text":
      return part.text.trim() ? [proseMarkdown(part.text)] : [];
    case "thinking":
      return part.text.trim() ? ["Thinking:", fenced(shown(part.text.trim()))] : [];
    case "call":
      return formatCall(part);
    case "image":
      return [formatImage(part, images)];
    case "result": {
      const content = part.content.flatMap((each) => {
        if (each.kind === "text") return [fenced(shown(each.text))];
        return each.kind === "image" ? [formatImage(each, images)] : [];
      });
      const diff = part.diff === undefined ? [] : [fenced(shown(part.diff), "diff")];
      return [...nestedBlocks(part.nested), ...content, ...diff];
    }
    case "execution":
      return formatExecution(part);
    case "files":
      return part.files.flatMap(({ path = "?", content = "" }) => [
        inlineCode(oneLine(path)),
        fenced(shown(content)),
      ]);
    case "error":
      return ["**Error**", fenced(shown(part.text))];
    case "notice":
      return [emphasized(part.text)];
    case "json":
      return [fenced(toJson(part.value, 2), "json")];
    case "unknown-block":
      return [fenced(toJson(part.block, 2), "json")];
    case "aborted":
      return [];
  }
}

/** A list of the calls that a tool made, each followed by its change. */
function nestedBlocks({ calls, notes }: NestedCallsWords = { calls: [], notes: [] }): string[] {
  const blocks = calls.flatMap(({ call, name, about, facts, error }) => {
    const edit = editOf(call.name, call.arguments);
    const line = [
      `${nestedIndent(call)}- **${plainMarkdown(name)}**`,
      about && inlineCode(about),
      facts && `(${plainMarkdown(facts)})`,
    ];
    const hasMore = call.arguments && Object.keys(call.arguments).length > 1;
    return [
      line.filter(Boolean).join(" "),
      ...(error === "" ? [] : [fenced(shown(error))]),
      ...(edit ? [formatDiff(edit)] : hasMore ? [fenced(toJson(call.arguments, 2), "json")] : []),
    ];
  });
  return [...blocks, ...notes.map(emphasized)];
}

function formatCall(call: CallPart): string[] {
  const { name, about, edit } = summarizeCall(call.name, call.arguments);
  const line = `**${plainMarkdown(name)}** ${inlineCode(about)}`;
  if (!edit) return [line, fenced(toJson(call.arguments, 2), "json")];
  return [`${line} +${edit.added} −${edit.removed}`, formatDiff(edit)];
}

function formatDiff({ lines }: Edit): string {
  return fenced(shown(lines.join("\n")), "diff");
}

function formatExecution({ language, prompt, command, output, exitCode }: ExecutionPart): string[] {
  const blocks =
    language === "bash"
      ? [fenced(`${prompt} ${shown(command)}\n${shown(output)}`)]
      : [fenced(shown(command), language), fenced(shown(output))];
  return exitCode ? [...blocks, `Exit code ${exitCode}`] : blocks;
}

function formatImage({ image }: ImagePart, images: boolean): string {
  const address = images ? pictureAddress(image) : undefined;
  return address === undefined ? plainMarkdown(describeImage(image)) : `![picture](${address})`;
}

function formatHeading({ who, time, facts }: Heading): string {
  const date = Number.isNaN(time.getTime()) ? "" : dayAndTime(time);
  return `## ${[who, date, ...facts].filter(Boolean).map(plainMarkdown).join(" · ")}`;
}

function emphasized(text: string): string {
  return `*${plainMarkdown(text)}*`;
}
