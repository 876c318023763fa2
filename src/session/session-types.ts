/**
 * The types of session entries, for programs that write sessions. Names and shapes are pi's, so that values are
 * interchangeable. Real files are looser.
 */

/** A text block. */
export interface TextContent {
  type: "text";
  text: string;
  textSignature?: string;
}

export interface ImageContent {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: as pi has it, so that authors' own argument types fit
  arguments: Record<string, any>;
  thoughtSignature?: string;
  /** The group of a tool that was loaded later, such as an MCP server's. */
  namespace?: string;
}

/** Tokens and US dollars of one billable event. `output` includes `reasoning`, `cacheWrite` includes `cacheWrite1h`. */
export interface TokenUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number;
  reasoning?: number;
  totalTokens: number;
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
    totalFromProvider?: boolean;
  };
}

export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

/** Times of messages are Unix milliseconds. */
export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  responseModel?: string;
  responseId?: string;
  usage: TokenUsage;
  stopReason: StopReason;
  errorMessage?: string;
  /** Milliseconds from the request to the end of the response. */
  durationMs?: number;
  thinkingLevel?: string;
  providerThinkingLevel?: string;
  // biome-ignore lint/suspicious/noExplicitAny: pi's own, for its developers
  diagnostics?: any[];
  rawStopReason?: string;
  endTurn?: boolean;
  /** Identifies a deferred response, to fetch it later. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider has its own
  deferred?: any;
  timestamp: number;
}

/** A tool call made by a tool, as recorded in that tool's result. Has no result of its own. */
export interface NestedToolCallRecord {
  /** `CALL/1` is the first call made by the call `CALL`, and `CALL/1/1` the first made by that one. */
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: as pi has it, so that authors' own argument types fit
  arguments?: Record<string, any>;
  /** Size in bytes of arguments that were too long to be recorded. */
  argumentsBytes?: number;
  status: "ok" | "error" | "unfinished";
  durationMs?: number;
  error?: string;
}

/** The calls made by a tool. `complete` is false if calls or arguments are missing, or a call did not finish. */
export interface NestedToolCalls {
  calls: NestedToolCallRecord[];
  complete: boolean;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own
  details?: any;
  isError: boolean;
  usage?: TokenUsage;
  /** Run time of the tool in milliseconds. */
  durationMs?: number;
  nestedCalls?: NestedToolCalls;
  timestamp: number;
}

/** A part of the system prompt, or a change to it: `sections` by name (null removes one), added and removed tools. */
export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  sections?: Record<string, string | null>;
  // biome-ignore lint/suspicious/noExplicitAny: pi's own description of a tool
  toolsAdded?: any[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}

export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface CustomMessage<T = unknown> {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: T;
  timestamp: number;
}

export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string | null;
  timestamp: number;
}

export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

/**
 * Message types of your own agent, by role. Extend it by declaration merging, as in pi.
 *
 * @example
 * declare module "pidex" {
 *   interface CustomAgentMessages { note: { role: "note"; text: string; timestamp: number } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: extended by declaration merging
export interface CustomAgentMessages {}

/** The messages that `appendMessage` accepts. Summaries have their own methods. */
export type AppendableMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | SystemMessage
  | BashExecutionMessage
  | CustomMessage
  | CustomAgentMessages[keyof CustomAgentMessages];

export type AgentMessage = AppendableMessage | BranchSummaryMessage | CompactionSummaryMessage;

/** The first line of a session file. */
export interface SessionHeader {
  type: "session";
  version?: number;
  id: string;
  /** ISO time, as in all entries. */
  timestamp: string;
  cwd: string;
  /** Path of the session it was forked from. */
  parentSession?: string;
}

/** Fields of all entries. `id` is 8 hex digits, unique in its session; `parentId` is null at a root. */
export interface SessionEntryBase {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: "message";
  message: AgentMessage;
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

/** Usage outside any message. `kind` is for example `cache_warm`. */
export interface UsageEntry extends SessionEntryBase {
  type: "usage";
  kind: string;
  provider: string;
  model: string;
  usage: TokenUsage;
  note?: string;
}

export interface CompactionEntry<T = unknown> extends SessionEntryBase {
  type: "compaction";
  summary: string;
  /** Its own id if it keeps no entries. */
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: T;
  usage?: TokenUsage;
  /** True if an extension wrote it. */
  fromHook?: boolean;
  /** The complete system prompt at this point. */
  systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  type: "branch_summary";
  /** The leaf of the abandoned branch, or `root`. */
  fromId: string;
  summary: string;
  details?: T;
  usage?: TokenUsage;
  fromHook?: boolean;
}

/** State of an extension; not part of the model's context. */
export interface CustomEntry<T = unknown> extends SessionEntryBase {
  type: "custom";
  customType: string;
  data?: T;
}

/** A message from an extension to the model. */
export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  details?: T;
  /** Whether it is shown to users. */
  display: boolean;
}

/** Content that a context edit can set. */
export type ContextEditableContent =
  | UserMessage["content"]
  | AssistantMessage["content"]
  | ToolResultMessage["content"]
  | CustomMessage["content"];

/** Replaces the content of an earlier entry in the model's context; null removes the entry from it. */
export interface ContextEditEntry extends SessionEntryBase {
  type: "context_edit";
  targetId: string;
  replacement: { content: ContextEditableContent } | null;
}

/** A missing or empty `label` clears the target's label. */
export interface LabelEntry extends SessionEntryBase {
  type: "label";
  targetId: string;
  label: string | undefined;
}

export interface SessionInfoEntry extends SessionEntryBase {
  type: "session_info";
  name?: string;
}

export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | UsageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | ContextEditEntry
  | LabelEntry
  | SessionInfoEntry;

/** A line of a session file. */
export type FileEntry = SessionHeader | SessionEntry;

export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  /** The current label, and the time it was set. */
  label?: string;
  labelTimestamp?: string;
}

/** The model's context. */
export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** An entry and its context messages, after edits. */
export interface ProjectedSessionEntry {
  sourceEntry: SessionEntry;
  messages: AgentMessage[];
}

export interface SessionProjection extends SessionContext {
  entries: ProjectedSessionEntry[];
}
