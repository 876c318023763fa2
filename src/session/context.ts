/** The model's context of a session: pi's `buildSessionContext`, by the rules of pi 1.5. */
import type {
  CompactionEntry,
  Content,
  ContextEditEntry,
  Entry,
  EntryId,
  Message,
  ModelChangeEntry,
} from "./entries.ts";
import { splitModelName } from "./model-name.ts";
import { indexById, pathTo } from "./tree.ts";

/** A message of the context. `timestamp` is Unix milliseconds. */
export type ContextMessage = Message & { [field: string]: unknown };

export interface EntryContext {
  messages: ContextMessage[];
  /** `"off"` until the path sets one. */
  thinkingLevel: string;
  /** The model of the last model change or assistant message on the path. */
  model: { provider: string; modelId: string } | null;
}

/** An entry of the context and its messages: none for entries that only hold state. */
export interface ProjectedEntry<E extends Entry = Entry> {
  sourceEntry: E;
  messages: ContextMessage[];
}

/** A context that also groups its messages by source entry. */
export interface SessionProjection<E extends Entry = Entry> extends EntryContext {
  entries: ProjectedEntry<E>[];
}

/**
 * Builds the context at `leafId`: the latest compaction on its path, then the entries it kept, then the entries after it,
 * with `context_edit`s applied.
 *
 * @param leafId undefined or unknown means the last entry; null gives an empty context
 * @param byId the entries by id, if the caller already has them
 */
export function buildSessionContext(
  entries: readonly Entry[],
  leafId?: EntryId | null,
  byId?: ReadonlyMap<EntryId, Entry>,
): EntryContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId);
  return { messages, thinkingLevel, model };
}

/** The context at the last entry of a path. */
export function buildContext(path: readonly Entry[]): EntryContext {
  const { messages, thinkingLevel, model } = projectPath(path);
  return { messages, thinkingLevel, model };
}

/** The entries that `buildSessionContext` takes its messages from, in context order. */
export function buildContextEntries<E extends Entry>(
  entries: readonly E[],
  leafId?: EntryId | null,
  byId?: ReadonlyMap<EntryId, E>,
): E[] {
  return selectEntries(getContextPath(entries, leafId, byId));
}

/** The same context as `buildSessionContext`, grouped by source entry. */
export function buildSessionProjection<E extends Entry>(
  entries: readonly E[],
  leafId?: EntryId | null,
  byId?: ReadonlyMap<EntryId, E>,
): SessionProjection<E> {
  return projectPath(getContextPath(entries, leafId, byId));
}

function projectPath<E extends Entry>(path: readonly E[]): SessionProjection<E> {
  const selected = selectEntries(path);
  const edits = new Map<EntryId, ContextEditEntry>();
  for (const entry of selected) {
    if (entry.type !== "context_edit" || entry.targetId == null) continue;
    if (entry.replacement !== undefined) edits.set(entry.targetId, entry);
  }
  const projected = selected.map((entry, position): ProjectedEntry<E> => {
    // The newest compaction may have kept an older one; only the newest adds a summary.
    if (entry.type === "compaction" && position > 0) return { sourceEntry: entry, messages: [] };
    return {
      sourceEntry: entry,
      messages: projectContextEntry(entry, entry.id == null ? undefined : edits.get(entry.id)),
    };
  });
  return {
    entries: projected,
    messages: projected.flatMap(({ messages }) => messages),
    ...getSettings(path),
  };
}

/** The context messages of one entry, with its edit applied. */
export function projectContextEntry(entry: Entry, edit: ContextEditEntry | undefined): ContextMessage[] {
  return applyEdit(sessionEntryToContextMessages(entry), edit);
}

function getContextPath<E extends Entry>(
  entries: readonly E[],
  leafId: EntryId | null | undefined,
  known: ReadonlyMap<EntryId, E> | undefined,
): E[] {
  if (leafId === null) return [];
  const byId = known ?? indexById(entries);
  const leaf = (leafId === undefined ? undefined : byId.get(leafId)) ?? entries.at(-1);
  return pathTo(leaf, byId);
}

function getSettings(path: readonly Entry[]): Pick<EntryContext, "thinkingLevel" | "model"> {
  let thinkingLevel = "off";
  let model: EntryContext["model"] = null;
  for (const entry of path) {
    if (entry.type === "thinking_level_change") thinkingLevel = entry.thinkingLevel ?? thinkingLevel;
    else if (entry.type === "model_change") model = getChangedModel(entry) ?? model;
    else if (entry.type === "message" && entry.message?.role === "assistant") {
      model = toModel(entry.message.provider, entry.message.model);
    }
  }
  return { thinkingLevel, model };
}

/** The model that a change selects; undefined if the change is for another oh-my-pi role than the conversation. */
function getChangedModel({
  provider,
  modelId,
  model,
  role,
}: ModelChangeEntry): EntryContext["model"] | undefined {
  if (role !== undefined && role !== "default") return undefined;
  if (model === undefined || modelId !== undefined) return toModel(provider, modelId);
  const named = splitModelName(model, provider);
  return toModel(named.provider, named.model);
}

function toModel(provider = "", modelId = ""): { provider: string; modelId: string } {
  return { provider, modelId };
}

/** The entries of a path that are in the context, the latest compaction first. */
function selectEntries<E extends Entry>(path: readonly E[]): E[] {
  const position = path.findLastIndex((entry) => entry.type === "compaction");
  const compaction = path[position] as (E & CompactionEntry) | undefined;
  if (!compaction) return [...path];
  const before = path.slice(0, position);
  const { firstKeptEntryId } = compaction;
  const first = firstKeptEntryId == null ? -1 : before.findIndex((entry) => entry.id === firstKeptEntryId);
  const kept = first === -1 ? [] : before.slice(first).filter((entry) => !isSystem(entry));
  return [compaction, ...kept, ...path.slice(position + 1)];
}

function isSystem(entry: Entry): boolean {
  return entry.type === "message" && entry.message?.role === "system";
}

/** The context messages of one entry, without edits. */
export function sessionEntryToContextMessages(entry: Entry): ContextMessage[] {
  const timestamp = Date.parse(entry.timestamp ?? "");
  switch (entry.type) {
    case "message":
      return entry.message ? [withContent(entry.message)] : [];
    case "custom_message": {
      if (entry.excludeFromContext) return [];
      const { customType, content, display, details } = entry;
      return [{ role: "custom", customType, content: content ?? [], display, details, timestamp }];
    }
    case "branch_summary":
      return entry.summary
        ? [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }]
        : [];
    case "compaction": {
      const { summary, tokensBefore } = entry;
      const message: ContextMessage = { role: "compactionSummary", summary, tokensBefore, timestamp };
      return entry.systemMessage ? [entry.systemMessage, message] : [message];
    }
    default:
      return [];
  }
}

/** Replaces null or missing content, as old versions, forks and manual edits leave it, by empty content. */
function withContent(message: Message): ContextMessage {
  switch (message.role) {
    case "system":
      return message.content == null ? { ...message, content: "" } : message;
    case "user":
    case "developer":
    case "assistant":
    case "toolResult":
      return message.content == null ? { ...message, content: [] } : message;
    default:
      return message;
  }
}

function applyEdit(messages: ContextMessage[], edit: ContextEditEntry | undefined): ContextMessage[] {
  if (!edit) return messages;
  const { replacement } = edit;
  if (replacement == null) return [];
  return messages.map((message): ContextMessage => {
    switch (message.role) {
      case "assistant":
      case "toolResult":
        return { ...message, content: toBlocks(replacement.content) };
      case "user":
      case "custom":
        return { ...message, content: replacement.content };
      default:
        return message;
    }
  });
}

function toBlocks(content: Content): Content {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
