/** An export as Markdown: prose as it was written, all else as code. */
import type { PlacedEntry } from "../../../library/index.ts";
import { shown } from "../../format/bounded-text.ts";
import { editOf, summarizeCall } from "../../format/edits.ts";
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
  if (number === 0) await out("Nothing was found.\n");
  const missing = stopped();
  if (missing !== undefined) await out(`---\n\n${emphasized(`${missing}.`)}\n`);
}

/** The blocks of an entry, each without a line end. */
function* entryBlocks({ entry }: PlacedEntry, images: boolean): Generator<string> {
  const { kind, heading, parts } = toTranscript(entry);
  if (kind !== "notice") yield formatHeading(heading);
  for (const part of parts) yield* partBlocks(part, images);
}

function* partBlocks(part: Part, images: boolean): Generator<string> {
  switch (part.kind) {
    case "text":
      if (part.text.trim()) yield proseMarkdown(part.text);
      return;
    case "thinking":
      if (part.text.trim()) yield `Thinking:\n\n${fenced(shown(part.text.trim()))}`;
      return;
    case "call":
      yield formatCall(part);
      return;
    case "image":
      yield formatImage(part, images);
      return;
    case "result":
      if (part.nested) yield* nestedBlocks(part.nested);
      for (const each of part.content) {
        if (each.kind === "text") yield fenced(shown(each.text));
        else if (each.kind === "image") yield formatImage(each, images);
      }
      if (part.diff !== undefined) yield fenced(shown(part.diff), "diff");
      return;
    case "execution":
      yield formatExecution(part);
      return;
    case "files":
      for (const { path = "?", content = "" } of part.files)
        yield `${inlineCode(oneLine(path))}\n\n${fenced(shown(content))}`;
      return;
    case "error":
      yield `**Error**\n\n${fenced(shown(part.text))}`;
      return;
    case "notice":
      yield emphasized(part.text);
      return;
    case "json":
      yield fenced(toJson(part.value, 2), "json");
      return;
    case "unknown-block":
      yield fenced(toJson(part.block, 2), "json");
      return;
    case "aborted":
      return;
  }
}

/** The calls that a tool made as a list, the changes they made below. */
function* nestedBlocks({ calls, notes }: NestedCallsWords): Generator<string> {
  for (const { call, name, about, facts, error } of calls) {
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
  for (const note of notes) yield emphasized(note);
}

function formatCall(call: CallPart): string {
  const { name, about, edit } = summarizeCall(call.name, call.arguments);
  const line = `**${plainMarkdown(name)}** ${inlineCode(about)}`;
  if (!edit) return `${line}\n\n${fenced(toJson(call.arguments, 2), "json")}`;
  return `${line} +${edit.added} −${edit.removed}\n\n${fenced(shown(edit.lines.join("\n")), "diff")}`;
}

function formatExecution({ language, prompt, command, output, exitCode }: ExecutionPart): string {
  const blocks =
    language === "bash"
      ? [fenced(`${prompt} ${shown(command)}\n${shown(output)}`)]
      : [fenced(shown(command), language), fenced(shown(output))];
  return [...blocks, ...(exitCode ? [`Exit code ${exitCode}`] : [])].join("\n\n");
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
