/**
 * Schemas of session files: the header and every entry type, message role and content block that pi 0.1 to 1.5, Atomic,
 * oh-my-pi, prime-agent and the subagent extensions write. Unknown fields, types, roles and blocks pass.
 *
 * Every field except `type` is optional, because real files lack each of them somewhere. A field that is present must have
 * the right shape: `parse.ts` reports any other as a problem and drops it.
 */
import {
  array,
  boolean,
  choose,
  type Infer,
  literal,
  nullish,
  number,
  object,
  optional,
  string,
  union,
  unknown,
  variant,
} from "./schema.ts";

/** Usually 8 hex digits, unique within its file only. A number in some files; `5` and `"5"` are different ids. */
export const EntryId = union(string, number());
export type EntryId = Infer<typeof EntryId>;

const Text = optional(string);
const Flag = optional(boolean);
/** In newer fields, null means missing. */
const NewText = nullish(string);
// Milliseconds. The maximum is 31,000 years, far below SQLite's largest integer.
const Duration = nullish(number(0, 1e15));
// The range of Date.
const Milliseconds = optional(number(-8.64e15, 8.64e15));

// Far above any real event, so that a corrupt figure is reported as a problem instead of added to totals.
export const Tokens = optional(number(0, 1e12));
export const Dollars = optional(number(0, 1e4));

/**
 * The cost of a billable event in US dollars, by kind of token, as pi recorded it. `totalFromProvider` is the total that the
 * provider reported, or true if `total` is that figure.
 */
export const Cost = object({
  input: Dollars,
  output: Dollars,
  cacheRead: Dollars,
  cacheWrite: Dollars,
  total: Dollars,
  totalFromProvider: optional(union(boolean, number(0, 1e4))),
});
export type Cost = Infer<typeof Cost>;
const NoCost = nullish(Cost);

/** Tokens and cost of one billable event. `output` includes `reasoning`. */
export const Usage = object({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  cacheWrite1h: Tokens,
  reasoning: Tokens,
  totalTokens: Tokens,
  /** Subagents write the total as a plain number. */
  cost: optional(choose([Dollars, NoCost], (value) => (typeof value === "number" ? Dollars : NoCost))),
});
export type Usage = Infer<typeof Usage>;

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
      arguments: nullish(object({})),
      /** The group of a tool that was loaded later, such as an MCP server's. Usually part of `name` too. */
      namespace: NewText,
    },
    image: { data: Text, mimeType: Text },
  },
  object({ type: Text }),
);
export type Block = Infer<typeof Block>;

/** The content of a message: blocks, a plain string, or (in some files) null or missing. */
const Blocks = array(Block);
export const Content = optional(
  choose([Blocks, NewText], (value) => (Array.isArray(value) ? Blocks : NewText)),
);
export type Content = Infer<typeof Content>;

const execution = {
  output: Text,
  exitCode: nullish(number()),
  cancelled: Flag,
  truncated: Flag,
  excludeFromContext: Flag,
};

const messageFields = { timestamp: Milliseconds };

/** A message, by its role. Files contain other `role`s too; version 2's `hookMessage` is upgraded to `custom`. */
export const Message = variant(
  "role",
  messageFields,
  {
    user: { content: Content },
    assistant: {
      content: Content,
      api: Text,
      provider: Text,
      model: Text,
      /** The model that responded, if it is not the requested one. */
      responseModel: Text,
      usage: nullish(Usage),
      stopReason: Text,
      errorMessage: Text,
      /** Milliseconds from the request to the end of the response. This and the fields below: since pi 0.99. */
      durationMs: Duration,
      /** The level set in pi, and the one requested from the provider. */
      thinkingLevel: NewText,
      providerThinkingLevel: NewText,
      diagnostics: unknown,
      /** The provider's own stop reason. */
      rawStopReason: NewText,
      endTurn: nullish(boolean),
      /** Identifies a deferred response, to fetch it later. */
      deferred: unknown,
    },
    toolResult: {
      toolCallId: Text,
      toolName: Text,
      content: Content,
      details: unknown,
      isError: Flag,
      usage: nullish(Usage),
      /** Run time of the tool in milliseconds. */
      durationMs: Duration,
      /** Calls that the tool made itself; `parseNestedCalls()` reads them. */
      nestedCalls: unknown,
    },
    bashExecution: { command: Text, ...execution },
    /** oh-my-pi: Python code run by the user. */
    pythonExecution: { code: Text, ...execution },
    /** oh-my-pi: the content of files that the user mentioned as `@path`. */
    fileMention: { files: nullish(array(object({ path: Text, content: Text }))) },
    /** oh-my-pi: the agent's instructions to the model, between the system prompt and the user's messages. */
    developer: { content: Content },
    custom: { customType: Text, content: Content, display: Flag },
    system: { content: Content },
    branchSummary: { summary: Text, fromId: nullish(EntryId) },
    compactionSummary: { summary: Text, tokensBefore: Tokens },
  },
  object({ ...messageFields, role: Text, content: unknown }),
);
export type Message = Infer<typeof Message>;

const entryFields = { id: nullish(EntryId), parentId: nullish(EntryId), timestamp: Text };

/** A line after the header. Files contain other `type`s too; they are kept and counted like the rest. */
export const Entry = variant(
  "type",
  entryFields,
  {
    message: { message: optional(Message) },
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
      firstKeptEntryId: nullish(EntryId),
      tokensBefore: Tokens,
      details: unknown,
      fromHook: Flag,
      usage: nullish(Usage),
      systemMessage: nullish(Message),
    },
    branch_summary: {
      fromId: nullish(EntryId),
      summary: Text,
      details: unknown,
      fromHook: Flag,
      usage: nullish(Usage),
    },
    custom: { customType: Text, data: unknown },
    custom_message: {
      customType: Text,
      content: Content,
      display: Flag,
      details: unknown,
      excludeFromContext: Flag,
    },
    /** A missing or empty `label` clears the target's label. */
    label: { targetId: nullish(EntryId), label: NewText },
    /** A missing or empty `name` clears the session's name. */
    session_info: { name: NewText },
    /** Usage outside any message, such as cache warming or titles. */
    usage: { kind: Text, provider: Text, model: Text, usage: nullish(Usage), note: Text },
    /** oh-my-pi: usage outside the conversation, such as for a title. */
    model_usage: {
      purpose: Text,
      provider: Text,
      model: Text,
      usage: nullish(Usage),
      stopReason: Text,
      errorMessage: Text,
    },
    /** oh-my-pi: a new title, which is the session's name. */
    title_change: { title: NewText },
    /** oh-my-pi: the start of a subagent's session. */
    session_init: { task: Text },
    /** prime-agent: the usage of a child session, reported by its parent. */
    child_usage_attributed: {
      targetId: nullish(EntryId),
      childUsage: nullish(Usage),
      /** Usage of the target and all its children. prime-agent also writes it into the target when it rewrites a session. */
      aggregateUsage: nullish(Usage),
    },
    /** Replaces the target's content in the context; null removes it. */
    context_edit: { targetId: nullish(EntryId), replacement: nullish(object({ content: Content })) },
    context_compaction: {},
    session_summary: { summary: Text, summarizedThroughId: nullish(EntryId), usage: nullish(Usage) },
  },
  object({ ...entryFields, type: string }),
);
export type Entry = Infer<typeof Entry>;
export type ModelChangeEntry = Extract<Entry, { type: "model_change" }>;
export type CompactionEntry = Extract<Entry, { type: "compaction" }>;
export type ContextEditEntry = Extract<Entry, { type: "context_edit" }>;

/** The first line of a session file. `branchedFrom` is version 1's name for `parentSession`. */
export const SessionHeader = object({
  type: literal("session"),
  version: unknown,
  id: Text,
  timestamp: Text,
  cwd: Text,
  parentSession: Text,
  branchedFrom: Text,
  /** oh-my-pi: the session's name. The reader puts the title of a `title` line before the header here too. */
  title: Text,
  internal: Flag,
  workflow: nullish(object({ runId: Text, stageId: Text, stageName: Text })),
});
export type SessionHeader = Infer<typeof SessionHeader>;
