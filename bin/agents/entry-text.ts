/** Renders an entry as plain text for a model: messages, tool calls and output. */
import type { Entry } from "../../library/index.ts";
import { describeImage } from "../format/images.ts";
import { toSafeJson } from "../format/json-text.ts";
import { nestedCallLines } from "../format/nested-calls.ts";
import { formatMentionedFiles, type Part } from "../format/parts.ts";
import { toTranscript } from "../format/transcript.ts";
import { toSafeName } from "./format-session.ts";

export interface EntryText {
  who: string;
  /** Empty for entries without readable text, such as system prompts and extension data. */
  text: string;
}

/** @param options.thinking whether thinking is included */
export function toEntryText(entry: Entry, { thinking }: { thinking: boolean }): EntryText {
  const { kind, heading, parts } = toTranscript(entry);
  const isHidden = kind === "system" || kind === "data";
  return { who: toSafeName(heading.who), text: isHidden ? "" : formatParts(parts, thinking).trim() };
}

function formatParts(parts: readonly Part[], thinking: boolean): string {
  return parts
    .map((part) => formatPart(part, thinking))
    .filter(Boolean)
    .join("\n");
}

function formatPart(part: Part, thinking: boolean): string {
  switch (part.kind) {
    case "text":
    case "notice":
      return part.text;
    case "thinking":
      return thinking && part.text !== "" ? `(thinking) ${part.text}` : "";
    case "call":
      return `→ ${part.name ?? "?"} ${formatArguments(part.arguments)}`;
    case "image":
      return describeImage(part.image);
    case "result": {
      const { calls = [], notes = [] } = part.nested ?? {};
      // Nested calls show all arguments, as the model's own calls do.
      const nested = calls.map((each) => ({ ...each, about: formatArguments(each.call.arguments ?? {}) }));
      return [...nestedCallLines({ calls: nested, notes }), formatParts(part.content, thinking)]
        .filter(Boolean)
        .join("\n");
    }
    case "execution":
      return `${part.prompt} ${part.command}\n${part.output}`;
    case "files":
      return formatMentionedFiles(part.files);
    case "error":
      return `error: ${part.text}`;
    case "json":
      return toSafeJson(part.value);
    case "aborted":
    case "unknown-block":
      return "";
  }
}

/** The arguments of a call. A multi-line value starts on the line below its name. */
function formatArguments(args: Record<string, unknown>): string {
  const fields = Object.entries(args);
  if (fields.length === 1 && typeof fields[0]?.[1] === "string") return fields[0][1];
  return fields
    .map(([name, value]) => {
      if (typeof value !== "string") return `${name}: ${toSafeJson(value)}`;
      return value.includes("\n") ? `${name}:\n${value}` : `${name}: ${value}`;
    })
    .join("; ");
}
