/** The transcript model of an entry: a heading and parts. Surfaces render kinds of parts, not types of entries. */
import type { Block, Entry, Usage } from "../../library/index.ts";
import type { FormattedNestedCalls } from "./nested-calls.ts";

/** An entry as a heading and parts. */
export interface TranscriptEntry {
  kind: EntryKind;
  /** Surfaces show `NOTICE_KINDS` without it. */
  heading: Heading;
  parts: Part[];
}

/**
 * `data` is an entry outside the conversation that pidex doesn't know, `unknown` a message of an unknown role, `metadata` a notice of a name, a
 * label, a pin, tags or archiving.
 */
export type EntryKind =
  | "person"
  | "assistant"
  | "tool"
  | "shell"
  | "note"
  | "summary"
  | "files"
  | "system"
  | "data"
  | "unknown"
  | "notice"
  | "metadata";

export type Color = "green" | "cyan" | "yellow" | "magenta" | "red" | "dim";

/** Texts come from the session: not safe for a terminal. */
export interface Heading {
  who: string;
  color: Color;
  /** Model, thinking level, duration. */
  facts: string[];
  id: Entry["id"];
  /** An invalid date when the entry has no valid timestamp. */
  time: Date;
  usage: Usage | undefined;
}

/** Texts come from the session, except those of notices: not safe for a terminal. */
export type Part =
  /** Markdown. */
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | CallPart
  | ImagePart
  | ResultPart
  | ExecutionPart
  | { kind: "files"; files: MentionedFile[] }
  | { kind: "error"; text: string }
  | { kind: "aborted" }
  /** One line, safe for a terminal. */
  | { kind: "notice"; text: string }
  /** A message, or the fields of an entry, that pidex doesn't know. */
  | { kind: "json"; value: unknown }
  | { kind: "unknown-block"; block: Block };

export interface CallPart {
  kind: "call";
  id: string | undefined;
  name: string | undefined;
  arguments: Record<string, unknown>;
}

export interface ImagePart {
  kind: "image";
  image: Extract<Block, { type: "image" }>;
  /** Its position in the message's content, from 0. */
  position: number;
}

/** What a tool returned. */
export interface ResultPart {
  kind: "result";
  callId: string | undefined;
  isError: boolean;
  /** The calls that the tool made. */
  nested: FormattedNestedCalls | undefined;
  /** Texts here are plain output, not Markdown. */
  content: Part[];
  /** The change as the tool reports it. */
  diff: string | undefined;
}

/** A command that the user ran. */
export interface ExecutionPart {
  kind: "execution";
  language: "bash" | "python";
  prompt: "$" | ">>>";
  command: string;
  output: string;
  exitCode: number | undefined;
  isCancelled: boolean;
  isTruncated: boolean;
}

/** A file that the user named, with its content if the agent stored it. */
export interface MentionedFile {
  path?: string | undefined;
  content?: string | undefined;
}

/** Kinds that terminals show only when the user asks for full output. */
export const DETAIL_KINDS: ReadonlySet<EntryKind> = new Set(["system", "data", "unknown", "metadata"]);

/** A file mention as plain text: each path above its content. */
export function formatMentionedFiles(files: readonly MentionedFile[]): string {
  return files.map(({ path, content }) => [path, content].filter(Boolean).join("\n")).join("\n\n");
}

/** Kinds that surfaces show on one line, without a heading. */
export const NOTICE_KINDS: ReadonlySet<EntryKind> = new Set(["notice", "metadata"]);
