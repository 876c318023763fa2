/**
 * zod schemas of session files: the header and every entry type, message role and content block that pi 0.1 to 1.5, Atomic,
 * oh-my-pi, prime-agent and the subagent extensions write. Unknown fields, types, roles and blocks pass.
 *
 * Every field except `type` is optional, because real files lack each of them somewhere. A field that is present must have
 * the right shape: `parse.ts` reports any other as a problem and drops it.
 */
import { z } from "zod";
import { selectSchema, variant } from "./variant.ts";

/** Usually 8 hex digits, unique within its file only. A number in some files; `5` and `"5"` are different ids. */
export const EntryId = z.union([z.string(), z.number()]);
export type EntryId = z.infer<typeof EntryId>;

const Text = z.string().optional();
const Flag = z.boolean().optional();
/** In newer fields, null means missing. */
const NewText = z.string().nullish();
// Milliseconds. The maximum is 31,000 years, far below SQLite's largest integer.
const Duration = z.number().min(0).max(1e15).nullish();
// The range of Date.
const Milliseconds = z.number().min(-8.64e15).max(8.64e15).optional();

// Far above any real event, so that a corrupt figure is reported as a problem instead of added to totals.
export const Tokens = z.number().min(0).max(1e12).optional();
export const Dollars = z.number().min(0).max(1e4).optional();

/**
 * The cost of a billable event in US dollars, by kind of token, as pi recorded it. `totalFromProvider` is the total that the
 * provider reported, or true if `total` is that figure.
 */
export const Cost = z.looseObject({
  input: Dollars,
  output: Dollars,
  cacheRead: Dollars,
  cacheWrite: Dollars,
  total: Dollars,
  totalFromProvider: z.union([z.boolean(), z.number().min(0).max(1e4)]).optional(),
});
export type Cost = z.infer<typeof Cost>;
const NoCost = Cost.nullish();

/** Tokens and cost of one billable event. `output` includes `reasoning`. */
export const Usage = z.looseObject({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  cacheWrite1h: Tokens,
  reasoning: Tokens,
  totalTokens: Tokens,
  /** Subagents write the total as a plain number. */
  cost: selectSchema([Dollars, NoCost], (value) => (typeof value === "number" ? Dollars : NoCost)).optional(),
});
export type Usage = z.infer<typeof Usage>;

const Unknown = z.looseObject({ type: Text });

/** A content block of a message. Files contain other `type`s too. */
export const Block = variant(
  "type",
  {},
  {
    text: { text: Text },
    thinking: { thinking: Text },
    toolCall: {
      id: Text,
      name: Text,
      arguments: z.looseObject({}).nullish(),
      /** The group of a tool that was loaded later, such as an MCP server's. Usually part of `name` too. */
      namespace: NewText,
    },
    image: { data: Text, mimeType: Text },
  },
  Unknown,
);
export type Block = z.infer<typeof Block>;

/** The content of a message: blocks, a plain string, or (in some files) null or missing. */
const Blocks = z.array(Block);
const NoContent = z.string().nullish();
export const Content = selectSchema([Blocks, NoContent], (value) =>
  Array.isArray(value) ? Blocks : NoContent,
).optional();
export type Content = z.infer<typeof Content>;

const message = { timestamp: Milliseconds };

/** A message, by its role. Files contain other `role`s too; version 2's `hookMessage` is upgraded to `custom`. */
export const Message = variant(
  "role",
  message,
  {
    user: { content: Content },
    assistant: {
      content: Content,
      api: Text,
      provider: Text,
      model: Text,
      /** The model that responded, if it is not the requested one. */
      responseModel: Text,
      usage: Usage.nullish(),
      stopReason: Text,
      errorMessage: Text,
      /** Milliseconds from the request to the end of the response. This and the fields below: since pi 0.99. */
      durationMs: Duration,
      /** The level set in pi, and the one requested from the provider. */
      thinkingLevel: NewText,
      providerThinkingLevel: NewText,
      diagnostics: z.unknown().optional(),
      /** The provider's own stop reason. */
      rawStopReason: NewText,
      endTurn: z.boolean().nullish(),
      /** Identifies a deferred response, to fetch it later. */
      deferred: z.unknown().optional(),
    },
    toolResult: {
      toolCallId: Text,
      toolName: Text,
      content: Content,
      details: z.unknown().optional(),
      isError: Flag,
      usage: Usage.nullish(),
      /** Run time of the tool in milliseconds. */
      durationMs: Duration,
      /** Calls that the tool made itself; `parseNestedCalls()` reads them. */
      nestedCalls: z.unknown().optional(),
    },
    bashExecution: {
      command: Text,
      output: Text,
      exitCode: z.number().nullish(),
      cancelled: Flag,
      truncated: Flag,
      excludeFromContext: Flag,
    },
    /** oh-my-pi: Python code run by the user; the counterpart of `bashExecution`. */
    pythonExecution: {
      code: Text,
      output: Text,
      exitCode: z.number().nullish(),
      cancelled: Flag,
      truncated: Flag,
      excludeFromContext: Flag,
    },
    /** oh-my-pi: the content of files that the user mentioned as `@path`. */
    fileMention: { files: z.array(z.looseObject({ path: Text, content: Text })).nullish() },
    /** oh-my-pi: the agent's instructions to the model, between the system prompt and the user's messages. */
    developer: { content: Content },
    custom: { customType: Text, content: Content, display: Flag },
    system: { content: Content },
    branchSummary: { summary: Text, fromId: EntryId.nullish() },
    compactionSummary: { summary: Text, tokensBefore: Tokens },
  },
  z.looseObject({ ...message, role: Text, content: z.unknown().optional() }),
);
export type Message = z.infer<typeof Message>;

const base = { id: EntryId.nullish(), parentId: EntryId.nullish(), timestamp: Text };

/** A line after the header. Files contain other `type`s too; they are kept and counted like the rest. */
export const Entry = variant(
  "type",
  base,
  {
    message: { message: Message.optional() },
    model_change: {
      provider: Text,
      modelId: Text,
      /** oh-my-pi: `provider/modelId` as one string, and the model's role; `default` if missing. */
      model: Text,
      role: Text,
    },
    thinking_level_change: { thinkingLevel: Text },
    /** Keeps no entries if `firstKeptEntryId` is null or the entry's own id. */
    compaction: {
      summary: Text,
      firstKeptEntryId: EntryId.nullish(),
      tokensBefore: Tokens,
      details: z.unknown().optional(),
      fromHook: Flag,
      usage: Usage.nullish(),
      systemMessage: Message.nullish(),
    },
    branch_summary: {
      fromId: EntryId.nullish(),
      summary: Text,
      details: z.unknown().optional(),
      fromHook: Flag,
      usage: Usage.nullish(),
    },
    custom: { customType: Text, data: z.unknown().optional() },
    custom_message: {
      customType: Text,
      content: Content,
      display: Flag,
      details: z.unknown().optional(),
      excludeFromContext: Flag,
    },
    /** A missing or empty `label` clears the target's label. */
    label: { targetId: EntryId.nullish(), label: z.string().nullish() },
    /** A missing or empty `name` clears the session's name. */
    session_info: { name: z.string().nullish() },
    /** Usage outside any message, such as cache warming or titles. */
    usage: {
      kind: Text,
      provider: Text,
      model: Text,
      usage: Usage.nullish(),
      note: Text,
    },
    /** oh-my-pi: usage outside the conversation, such as for a title. */
    model_usage: {
      purpose: Text,
      provider: Text,
      model: Text,
      usage: Usage.nullish(),
      stopReason: Text,
      errorMessage: Text,
    },
    /** oh-my-pi: a new title, which is the session's name. */
    title_change: { title: z.string().nullish() },
    /** oh-my-pi: the start of a subagent's session. */
    session_init: { task: Text },
    /** prime-agent: the usage of a child session, reported by its parent. */
    child_usage_attributed: {
      targetId: EntryId.nullish(),
      childUsage: Usage.nullish(),
      /** Usage of the target and all its children. prime-agent also writes it into the target when it rewrites a session. */
      aggregateUsage: Usage.nullish(),
    },
    /** Replaces the target's content in the context; null removes it. */
    context_edit: { targetId: EntryId.nullish(), replacement: z.looseObject({ content: Content }).nullish() },
    context_compaction: {},
    session_summary: { summary: Text, summarizedThroughId: EntryId.nullish(), usage: Usage.nullish() },
  },
  z.looseObject({ ...base, type: z.string() }),
);
export type Entry = z.infer<typeof Entry>;
export type MessageEntry = Extract<Entry, { type: "message" }>;
export type ModelChangeEntry = Extract<Entry, { type: "model_change" }>;
export type CompactionEntry = Extract<Entry, { type: "compaction" }>;
export type ContextEditEntry = Extract<Entry, { type: "context_edit" }>;

/** The first line of a session file. `branchedFrom` is version 1's name for `parentSession`. */
export const SessionHeader = z.looseObject({
  type: z.literal("session"),
  version: z.unknown().optional(),
  id: Text,
  timestamp: Text,
  cwd: Text,
  parentSession: Text,
  branchedFrom: Text,
  /** oh-my-pi: the session's name. The reader puts the title of a `title` line before the header here too. */
  title: Text,
  internal: Flag,
  workflow: z.looseObject({ runId: Text, stageId: Text, stageName: Text }).nullish(),
});
export type SessionHeader = z.infer<typeof SessionHeader>;
