/**
 * The transcript model: entries as parts. Only this module knows the types of entries and the roles of messages; tsc requires
 * a case for each. It is built into the page, so it imports nothing that needs Node.
 */
import type { Block, Content, Entry, Message, Usage } from "../../library/index.ts";
import { getResponseError } from "../../src/session/response-error.ts";
import { formatNestedCalls } from "./nested-calls.ts";
import { formatDuration } from "./numbers.ts";
import type { Color, EntryKind, ExecutionPart, Part, ResultPart, TranscriptEntry } from "./parts.ts";
import { toOneLine } from "./safe.ts";

type Fields = Record<string, unknown>;
type MessageOf<Role> = Extract<Message, { role: Role }>;

const COLORS: Record<EntryKind, Color> = {
  person: "green",
  assistant: "cyan",
  tool: "dim",
  shell: "yellow",
  note: "magenta",
  summary: "magenta",
  files: "dim",
  system: "magenta",
  data: "dim",
  unknown: "dim",
  notice: "dim",
  metadata: "dim",
};

export function toTranscript(entry: Entry): TranscriptEntry {
  const {
    kind,
    who,
    parts,
    facts = [],
  } = entry.type === "message" ? ofMessage(entry.message) : ofEntry(entry);
  const spender: object = (entry.type === "message" ? entry.message : entry) ?? {};
  const hasFailed = parts.some((part) => part.kind === "result" && part.isError);
  return {
    kind,
    heading: {
      who,
      color: hasFailed ? "red" : COLORS[kind],
      facts,
      id: entry.id,
      time: new Date(entry.timestamp ?? Number.NaN),
      usage: ("usage" in spender && (spender.usage as Usage | null)) || undefined,
    },
    parts,
  };
}

/** The tool result in an entry; undefined for other entries. */
export function findToolResult(entry: Entry): ResultPart | undefined {
  if (entry.type !== "message" || entry.message?.role !== "toolResult") return undefined;
  return toTranscript(entry).parts.find((part) => part.kind === "result");
}

/** The content blocks of an entry; empty if its content is plain text. */
export function contentBlocks(entry: Entry): readonly Block[] {
  const holder = entry.type === "message" ? entry.message : entry;
  const content = holder && "content" in holder ? holder.content : undefined;
  return Array.isArray(content) ? (content as Block[]) : [];
}

interface Body {
  kind: EntryKind;
  who: string;
  parts: Part[];
  facts?: string[];
}

function ofEntry(entry: Exclude<Entry, { type: "message" }>): Body {
  const notice = (text: string): Body => toNotice(entry.type, text);
  const metadata = (text: string, who: string = entry.type): Body => ({
    ...toNotice(who, text),
    kind: "metadata",
  });
  switch (entry.type) {
    case "compaction":
      return toSummary("compaction", entry.summary);
    case "branch_summary":
      return toSummary("branch summary", entry.summary);
    case "session_summary":
      return toSummary("session summary", entry.summary);
    case "custom_message":
      return { kind: "note", who: customName(entry), parts: toParts(entry.content) };
    case "session_info":
      return metadata(describeName(entry.name));
    case "title_change":
      return metadata(describeName(entry.title));
    case "label":
      return metadata(`label ${toOneLine(entry.label ?? "") || "cleared"} on ${target(entry)}`);
    case "model_change": {
      const model = toOneLine(entry.model ?? [entry.provider, entry.modelId].filter(Boolean).join("/"));
      const isDefault = entry.role === undefined || entry.role === "default";
      return notice(`model ${model || "?"}${isDefault ? "" : ` for ${toOneLine(entry.role ?? "")}`}`);
    }
    case "thinking_level_change":
      return notice(`thinking ${toOneLine(entry.thinkingLevel ?? "") || "?"}`);
    case "context_edit":
      return notice(`context of ${target(entry)} edited`);
    case "usage":
      return notice(`usage ${toOneLine([entry.kind, entry.note].filter(Boolean).join(": "))}`.trimEnd());
    case "model_usage":
      return notice(`usage ${toOneLine(entry.purpose ?? "")}`.trimEnd());
    case "child_usage_attributed":
      return notice(`usage of children, called by ${target(entry)}`);
    case "custom": {
      const changes = entry.customType === "pidex" ? describeMetadata(entry.data) : undefined;
      return changes === undefined ? toData(entry, customName(entry)) : metadata(changes, customName(entry));
    }
    case "session_init":
    case "context_compaction":
      return toData(entry);
    default:
      return toData(entry satisfies never); // an entry type that pidex doesn't know
  }
}

function ofMessage(message: Message | undefined): Body {
  if (!message) return toNotice("message", "unreadable message");
  switch (message.role) {
    case "user":
      return { kind: "person", who: "user", parts: toParts(message.content) };
    case "assistant":
      return {
        kind: "assistant",
        who: "assistant",
        parts: assistantParts(message),
        facts: answerFacts(message),
      };
    case "toolResult": {
      const who = `${message.toolName ?? "tool"}${message.isError ? " failed" : ""}`;
      const facts = message.durationMs == null ? [] : [formatDuration(message.durationMs)];
      return { kind: "tool", who, parts: [toResult(message)], facts };
    }
    case "bashExecution":
      return toExecution(message, "bash", "$", message.command);
    case "pythonExecution":
      return toExecution(message, "python", ">>>", message.code);
    case "fileMention":
      return { kind: "files", who: "files", parts: [{ kind: "files", files: message.files ?? [] }] };
    case "developer":
      return { kind: "note", who: "developer", parts: toParts(message.content) };
    case "custom":
      return { kind: "note", who: customName(message), parts: toParts(message.content) };
    case "branchSummary":
    case "compactionSummary":
      return toSummary(message.role === "branchSummary" ? "branch summary" : "compaction", message.summary);
    case "system":
      return { kind: "system", who: "system", parts: toParts(message.content) };
    default:
      return toUnknown(message satisfies never); // a role that pidex doesn't know
  }
}

function describeName(name: string | null | undefined): string {
  const line = toOneLine(name ?? "").trim();
  return line === "" ? "name cleared" : `named ${line}`;
}

function toNotice(who: string, text: string): Body {
  return { kind: "notice", who, parts: [{ kind: "notice", text }] };
}

function toSummary(who: string, text = ""): Body {
  return { kind: "summary", who, parts: [{ kind: "text", text }] };
}

function toUnknown(message: Message): Body {
  return { kind: "unknown", who: String(message.role), parts: [{ kind: "json", value: message }] };
}

function toData(entry: Entry, who: string = entry.type): Body {
  const { type: _, id: __, parentId: ___, timestamp: ____, ...value } = entry;
  return { kind: "data", who, parts: [{ kind: "json", value }] };
}

function toParts(content: Content): Part[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return (content ?? []).map((block, position): Part => {
    switch (block.type) {
      case "text":
        return { kind: "text", text: block.text ?? "" };
      case "thinking":
        return { kind: "thinking", text: block.thinking ?? "" };
      case "toolCall":
        return { kind: "call", id: block.id, name: block.name, arguments: block.arguments ?? {} };
      case "image":
        return { kind: "image", image: block, position };
      default:
        return { kind: "unknown-block", block };
    }
  });
}

function assistantParts(message: MessageOf<"assistant">): Part[] {
  const parts = toParts(message.content);
  const error = getResponseError(message);
  if (error !== undefined) parts.push({ kind: "error", text: error });
  else if (message.stopReason === "aborted") parts.push({ kind: "aborted" });
  return parts;
}

function answerFacts(message: MessageOf<"assistant">): string[] {
  const { model = "", stopReason, durationMs } = message;
  const { thinkingLevel: level, providerThinkingLevel: provided } = message;
  const atProvider = provided && provided !== level ? ` (${provided} at the provider)` : "";
  return [
    model,
    level && level !== "off" ? `thinking ${level}${atProvider}` : "",
    stopReason === "deferred" ? "deferred" : "",
    durationMs == null ? "" : formatDuration(durationMs),
  ].filter(Boolean);
}

function toResult(message: MessageOf<"toolResult">): ResultPart {
  const { diff } = (message.details ?? {}) as { diff?: unknown };
  return {
    kind: "result",
    callId: message.toolCallId,
    isError: message.isError === true,
    nested: formatNestedCalls(message),
    content: toParts(message.content),
    diff: typeof diff === "string" && diff !== "" ? diff : undefined,
  };
}

function toExecution(
  message: MessageOf<"bashExecution"> | MessageOf<"pythonExecution">,
  language: ExecutionPart["language"],
  prompt: ExecutionPart["prompt"],
  command = "",
): Body {
  const { output = "", exitCode, cancelled, truncated } = message;
  const part: ExecutionPart = {
    ...{ kind: "execution", language, prompt, command, output },
    exitCode: exitCode ?? undefined,
    isCancelled: cancelled === true,
    isTruncated: truncated === true,
  };
  return { kind: "shell", who: language, parts: [part] };
}

function customName({ customType }: { customType?: string | undefined }): string {
  return `custom ${customType ?? ""}`;
}

function target({ targetId }: { targetId?: Entry["id"] }): string {
  return toOneLine(String(targetId ?? "?"));
}

/** Session metadata that pidex wrote; undefined for data of another shape. */
function describeMetadata(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { pinned, archived, tags } = data as Fields;
  const changes: string[] = [];
  if (typeof pinned === "boolean") changes.push(pinned ? "pinned" : "unpinned");
  if (typeof archived === "boolean") changes.push(archived ? "archived" : "unarchived");
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === "string"))
    changes.push(tags.length > 0 ? `tags ${toOneLine(tags.join(", "))}` : "no tags");
  return changes.length > 0 ? changes.join("; ") : undefined;
}
