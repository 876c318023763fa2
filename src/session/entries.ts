/**
 * What a session file holds, as zod schemas: the header, every entry type, message role and content block that
 * pi 0.1 to 1.5, Atomic, oh-my-pi, prime-agent and the subagent extensions write. Unknown fields, types, roles and blocks pass.
 *
 * Every field but `type` may be missing, because in real files each of them sometimes is; a field that is
 * present must have its right shape (`parse.ts` makes a problem of one that has not, and leaves it out).
 */
import { z } from "zod";
import { choose, variant } from "./variant.ts";

/** 8 hex digits as a rule. Unique within a file only; a number in some files, and `5` is not `"5"`. */
export const EntryId = z.union([z.string(), z.number()]);
export type EntryId = z.infer<typeof EntryId>;

const Text = z.string().optional();
const Flag = z.boolean().optional();
/** Of newer fields null is taken for missing. */
const NewText = z.string().nullish();
// In milliseconds: 31,000 years, far below what SQLite keeps as an integer.
const Duration = z.number().min(0).max(1e15).nullish();
// What a Date can hold; anything else is no time.
const Milliseconds = z.number().min(-8.64e15).max(8.64e15).optional();

// Bounds no real event comes near, so that a nonsense figure becomes a problem and not a total.
export const Tokens = z.number().min(0).max(1e12).optional();
export const Dollars = z.number().min(0).max(1e4).optional();

/**
 * The parts of what an event cost, in US dollars, as pi recorded them. `totalFromProvider` says that `total` is what the
 * provider itself reported, or is that figure.
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

/** Tokens and cost of one act of spending. `reasoning` is already inside `output`. */
export const Usage = z.looseObject({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  cacheWrite1h: Tokens,
  reasoning: Tokens,
  totalTokens: Tokens,
  /** A number is the total, as subagents write it. */
  cost: choose([Dollars, NoCost], (value) => (typeof value === "number" ? Dollars : NoCost)).optional(),
});
export type Usage = z.infer<typeof Usage>;

export const TextBlock = z.looseObject({ type: z.literal("text"), text: Text });
export const ThinkingBlock = z.looseObject({ type: z.literal("thinking"), thinking: Text });
export const ToolCallBlock = z.looseObject({
  type: z.literal("toolCall"),
  id: Text,
  name: Text,
  arguments: z.looseObject({}).nullish(),
  /** The group of a tool that was loaded later, as an MCP server's; `name` tells it already. */
  namespace: NewText,
});
export const ImageBlock = z.looseObject({ type: z.literal("image"), data: Text, mimeType: Text });

const Unknown = z.looseObject({ type: Text });

/** A block of a message's content. Other `type`s occur. */
export const Block = variant(
  "type",
  { text: TextBlock, thinking: ThinkingBlock, toolCall: ToolCallBlock, image: ImageBlock },
  Unknown,
);
export type Block = z.infer<typeof Block>;

/** A message's content: blocks, or a plain string, or (in the wild) null or missing. */
const Blocks = z.array(Block);
const NoContent = z.string().nullish();
export const Content = choose([Blocks, NoContent], (value) =>
  Array.isArray(value) ? Blocks : NoContent,
).optional();
export type Content = z.infer<typeof Content>;

const message = { timestamp: Milliseconds };

export const UserMessage = z.looseObject({ ...message, role: z.literal("user"), content: Content });
export const AssistantMessage = z.looseObject({
  ...message,
  role: z.literal("assistant"),
  content: Content,
  api: Text,
  provider: Text,
  model: Text,
  /** The model that answered, where another was asked. */
  responseModel: Text,
  usage: Usage.nullish(),
  stopReason: Text,
  errorMessage: Text,
  /** Milliseconds from the request to the end of the answer. Like all below, since pi 0.99. */
  durationMs: Duration,
  /** The level that pi was set to, and what the provider was asked for. */
  thinkingLevel: NewText,
  providerThinkingLevel: NewText,
  diagnostics: z.unknown().optional(),
  /** Why it ended, in the provider's words. */
  rawStopReason: NewText,
  endTurn: z.boolean().nullish(),
  /** What an answer that comes later is fetched by. */
  deferred: z.unknown().optional(),
});
export const ToolResultMessage = z.looseObject({
  ...message,
  role: z.literal("toolResult"),
  toolCallId: Text,
  toolName: Text,
  content: Content,
  details: z.unknown().optional(),
  isError: Flag,
  usage: Usage.nullish(),
  /** Milliseconds that the tool ran. */
  durationMs: Duration,
  /** The calls that the tool made itself: `nestedCalls()` reads them. */
  nestedCalls: z.unknown().optional(),
});
export const BashExecutionMessage = z.looseObject({
  ...message,
  role: z.literal("bashExecution"),
  command: Text,
  output: Text,
  exitCode: z.number().nullish(),
  cancelled: Flag,
  truncated: Flag,
  excludeFromContext: Flag,
});
/** oh-my-pi: Python that a user ran, as `bashExecution` is of the shell. */
export const PythonExecutionMessage = z.looseObject({
  ...message,
  role: z.literal("pythonExecution"),
  code: Text,
  output: Text,
  exitCode: z.number().nullish(),
  cancelled: Flag,
  truncated: Flag,
  excludeFromContext: Flag,
});
/** oh-my-pi: the files that a user named by `@path`, as they were. */
export const FileMentionMessage = z.looseObject({
  ...message,
  role: z.literal("fileMention"),
  files: z.array(z.looseObject({ path: Text, content: Text })).nullish(),
});
/** oh-my-pi: what the agent tells the model between the system prompt and the user. */
export const DeveloperMessage = z.looseObject({ ...message, role: z.literal("developer"), content: Content });
export const CustomMessage = z.looseObject({
  ...message,
  role: z.literal("custom"),
  customType: Text,
  content: Content,
  display: Flag,
});
export const SystemMessage = z.looseObject({ ...message, role: z.literal("system"), content: Content });
export const BranchSummaryMessage = z.looseObject({
  ...message,
  role: z.literal("branchSummary"),
  summary: Text,
  fromId: EntryId.nullish(),
});
export const CompactionSummaryMessage = z.looseObject({
  ...message,
  role: z.literal("compactionSummary"),
  summary: Text,
  tokensBefore: Tokens,
});

/** A message, by its role. Other `role`s occur (`hookMessage` in version 2 is `custom` today). */
export const Message = variant(
  "role",
  {
    user: UserMessage,
    assistant: AssistantMessage,
    toolResult: ToolResultMessage,
    bashExecution: BashExecutionMessage,
    pythonExecution: PythonExecutionMessage,
    fileMention: FileMentionMessage,
    developer: DeveloperMessage,
    custom: CustomMessage,
    system: SystemMessage,
    branchSummary: BranchSummaryMessage,
    compactionSummary: CompactionSummaryMessage,
  },
  z.looseObject({ ...message, role: Text, content: z.unknown().optional() }),
);
export type Message = z.infer<typeof Message>;

const base = { id: EntryId.nullish(), parentId: EntryId.nullish(), timestamp: Text };

export const MessageEntry = z.looseObject({
  ...base,
  type: z.literal("message"),
  message: Message.optional(),
});
export const ModelChangeEntry = z.looseObject({
  ...base,
  type: z.literal("model_change"),
  provider: Text,
  modelId: Text,
  /** oh-my-pi: `provider/modelId` in one, and what the model is for; no `role` is `default`. */
  model: Text,
  role: Text,
});
export const ThinkingLevelChangeEntry = z.looseObject({
  ...base,
  type: z.literal("thinking_level_change"),
  thinkingLevel: Text,
});
/** `firstKeptEntryId` that is the entry's own id, or null, keeps nothing. */
export const CompactionEntry = z.looseObject({
  ...base,
  type: z.literal("compaction"),
  summary: Text,
  firstKeptEntryId: EntryId.nullish(),
  tokensBefore: Tokens,
  details: z.unknown().optional(),
  fromHook: Flag,
  usage: Usage.nullish(),
  systemMessage: Message.nullish(),
});
export const BranchSummaryEntry = z.looseObject({
  ...base,
  type: z.literal("branch_summary"),
  fromId: EntryId.nullish(),
  summary: Text,
  details: z.unknown().optional(),
  fromHook: Flag,
  usage: Usage.nullish(),
});
export const CustomEntry = z.looseObject({
  ...base,
  type: z.literal("custom"),
  customType: Text,
  data: z.unknown().optional(),
});
export const CustomMessageEntry = z.looseObject({
  ...base,
  type: z.literal("custom_message"),
  customType: Text,
  content: Content,
  display: Flag,
  details: z.unknown().optional(),
  excludeFromContext: Flag,
});
/** An absent or empty `label` clears the target's label. */
export const LabelEntry = z.looseObject({
  ...base,
  type: z.literal("label"),
  targetId: EntryId.nullish(),
  label: z.string().nullish(),
});
/** An absent or empty `name` clears the session's name. */
export const SessionInfoEntry = z.looseObject({
  ...base,
  type: z.literal("session_info"),
  name: z.string().nullish(),
});
/** Money spent outside any message: cache warming, titles and the like. */
export const UsageEntry = z.looseObject({
  ...base,
  type: z.literal("usage"),
  kind: Text,
  provider: Text,
  model: Text,
  usage: Usage.nullish(),
  note: Text,
});
/** oh-my-pi: money spent outside the conversation, for a title for example. */
export const ModelUsageEntry = z.looseObject({
  ...base,
  type: z.literal("model_usage"),
  purpose: Text,
  provider: Text,
  model: Text,
  usage: Usage.nullish(),
  stopReason: Text,
  errorMessage: Text,
});
/** oh-my-pi: another title, which is the session's name. */
export const TitleChangeEntry = z.looseObject({
  ...base,
  type: z.literal("title_change"),
  title: z.string().nullish(),
});
/** oh-my-pi: how a subagent's session began. */
export const SessionInitEntry = z.looseObject({ ...base, type: z.literal("session_init"), task: Text });
/** prime-agent: what a child session spent, told by the parent that called it. */
export const ChildUsageEntry = z.looseObject({
  ...base,
  type: z.literal("child_usage_attributed"),
  targetId: EntryId.nullish(),
  childUsage: Usage.nullish(),
  /** What the target used with all its children: prime-agent writes it into the target too, when it writes a session anew. */
  aggregateUsage: Usage.nullish(),
});
/** Changes what its target contributes to the context; null removes it. */
export const ContextEditEntry = z.looseObject({
  ...base,
  type: z.literal("context_edit"),
  targetId: EntryId.nullish(),
  replacement: z.looseObject({ content: Content }).nullish(),
});
export const ContextCompactionEntry = z.looseObject({ ...base, type: z.literal("context_compaction") });
export const SessionSummaryEntry = z.looseObject({
  ...base,
  type: z.literal("session_summary"),
  summary: Text,
  summarizedThroughId: EntryId.nullish(),
  usage: Usage.nullish(),
});

/** A line after the header. Other `type`s occur: they are kept and counted like the rest. */
export const Entry = variant(
  "type",
  {
    message: MessageEntry,
    model_change: ModelChangeEntry,
    thinking_level_change: ThinkingLevelChangeEntry,
    compaction: CompactionEntry,
    branch_summary: BranchSummaryEntry,
    custom: CustomEntry,
    custom_message: CustomMessageEntry,
    label: LabelEntry,
    session_info: SessionInfoEntry,
    usage: UsageEntry,
    model_usage: ModelUsageEntry,
    title_change: TitleChangeEntry,
    session_init: SessionInitEntry,
    child_usage_attributed: ChildUsageEntry,
    context_edit: ContextEditEntry,
    context_compaction: ContextCompactionEntry,
    session_summary: SessionSummaryEntry,
  },
  z.looseObject({ ...base, type: z.string() }),
);
export type Entry = z.infer<typeof Entry>;
export type MessageEntry = z.infer<typeof MessageEntry>;
export type ModelChangeEntry = z.infer<typeof ModelChangeEntry>;
export type CompactionEntry = z.infer<typeof CompactionEntry>;
export type ContextEditEntry = z.infer<typeof ContextEditEntry>;

/** The first line of a session file. `branchedFrom` is what version 1 called `parentSession`. */
export const SessionHeader = z.looseObject({
  type: z.literal("session"),
  version: z.unknown().optional(),
  id: Text,
  timestamp: Text,
  cwd: Text,
  parentSession: Text,
  branchedFrom: Text,
  /** oh-my-pi: the session's name; the one of a `title` line before the header stands here too, once it is read. */
  title: Text,
  internal: Flag,
  workflow: z.looseObject({ runId: Text, stageId: Text, stageName: Text }).nullish(),
});
export type SessionHeader = z.infer<typeof SessionHeader>;
