/**
 * A session as agents of the pi family write it, typed for those who write sessions. Names and shapes are pi's, so that
 * its values fit here and ours fit there. What a file may really hold is looser: see `entries.ts`.
 */

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
  /** The group of a tool that was loaded later, as an MCP server's. */
  namespace?: string;
}

/** Tokens, and US dollars, of one act of spending. `reasoning` is in `output`, `cacheWrite1h` in `cacheWrite`. */
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
  /** Milliseconds from the request to the end of the answer. */
  durationMs?: number;
  thinkingLevel?: string;
  providerThinkingLevel?: string;
  // biome-ignore lint/suspicious/noExplicitAny: pi's own, for its developers
  diagnostics?: any[];
  rawStopReason?: string;
  endTurn?: boolean;
  /** What an answer that comes later is fetched by. */
  // biome-ignore lint/suspicious/noExplicitAny: each provider has its own
  deferred?: any;
  timestamp: number;
}

/** A tool call that a tool made, as its result records it: never with a result of its own. */
export interface NestedToolCallRecord {
  /** `CALL/1` for the first call of the tool that was called as `CALL`, `CALL/1/1` for the first of that one. */
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: as pi has it, so that authors' own argument types fit
  arguments?: Record<string, any>;
  /** Size of arguments that were too long to be recorded. */
  argumentsBytes?: number;
  status: "ok" | "error" | "unfinished";
  durationMs?: number;
  error?: string;
}

/** The calls that a tool made. `complete` is false when calls or arguments are missing, or a call did not finish. */
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
  /** Milliseconds that the tool ran. */
  durationMs?: number;
  nestedCalls?: NestedToolCalls;
  timestamp: number;
}

/** A part of the system prompt, or a change to it: `sections` by name (null takes one away), tools that come and go. */
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
 * Messages of an author's own agent, by role: add to it by declaration merging, as pi's authors do.
 *
 * @example
 * declare module "pidex" {
 *   interface CustomAgentMessages { note: { role: "note"; text: string; timestamp: number } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be added to
export interface CustomAgentMessages {}

/** What `appendMessage` takes: summaries have methods of their own. */
export type AppendableMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | SystemMessage
  | BashExecutionMessage
  | CustomMessage
  | CustomAgentMessages[keyof CustomAgentMessages];

export type AgentMessage = AppendableMessage | BranchSummaryMessage | CompactionSummaryMessage;

/** The first line of a file. */
export interface SessionHeader {
  type: "session";
  version?: number;
  id: string;
  /** ISO time, as all times of entries are. */
  timestamp: string;
  cwd: string;
  /** Path of the session it was forked from. */
  parentSession?: string;
}

/** What all entries have. `id` is 8 hex digits, unique in its session; `parentId` is null at a root. */
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

/** Spending outside any message: `kind` is `cache_warm` for example. */
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
  /** Its own id where nothing is kept. */
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: T;
  usage?: TokenUsage;
  /** True when an extension wrote it. */
  fromHook?: boolean;
  /** The whole system prompt at this point. */
  systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  type: "branch_summary";
  /** The leaf that was left, or `root`. */
  fromId: string;
  summary: string;
  details?: T;
  usage?: TokenUsage;
  fromHook?: boolean;
}

/** State of an extension; the model does not see it. */
export interface CustomEntry<T = unknown> extends SessionEntryBase {
  type: "custom";
  customType: string;
  data?: T;
}

/** What an extension says to the model. */
export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  details?: T;
  /** Whether people see it. */
  display: boolean;
}

/** What a context edit may put in place of a message's content. */
export type ContextEditableContent =
  | UserMessage["content"]
  | AssistantMessage["content"]
  | ToolResultMessage["content"]
  | CustomMessage["content"];

/** Changes what an earlier entry says to the model; null takes it away. */
export interface ContextEditEntry extends SessionEntryBase {
  type: "context_edit";
  targetId: string;
  replacement: { content: ContextEditableContent } | null;
}

/** No `label`, or an empty one, clears it. */
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
  /** The label in force, and when it was set. */
  label?: string;
  labelTimestamp?: string;
}

/** What the model sees of a session. */
export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** An entry, and the messages that the model sees of it after edits. */
export interface ProjectedSessionEntry {
  sourceEntry: SessionEntry;
  messages: AgentMessage[];
}

export interface SessionProjection extends SessionContext {
  entries: ProjectedSessionEntry[];
}
