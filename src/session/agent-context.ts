/** The context of a session, typed for agents: the functions of `context.ts` under pi's types. */
import {
  buildContextEntries as contextEntries,
  sessionEntryToContextMessages as messagesOf,
  projectContextEntry as projected,
  buildSessionProjection as projection,
} from "./context.ts";
import type { Entry, EntryId, ContextEditEntry as LenientEdit } from "./entries.ts";
import type {
  AgentMessage,
  CompactionEntry,
  ContextEditEntry,
  SessionContext,
  SessionEntry,
  SessionProjection,
} from "./session-types.ts";

// Entries of a file may be odd in any field: `context.ts` trusts none, and these types say what they mostly are.
type AnyEntry = SessionEntry | Entry;
type ById = ReadonlyMap<EntryId, AnyEntry>;

/**
 * What the model sees at `leafId`: the latest compaction on its path, what that kept, and all that came after it, with
 * `context_edit`s applied; thinking level and model by the whole path.
 *
 * @param leafId undefined or unknown means the last entry; null gives an empty context
 * @param byId the entries by id, where the caller has them
 */
export function buildSessionContext(
  entries: readonly AnyEntry[],
  leafId?: EntryId | null,
  byId?: ById,
): SessionContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId);
  return { messages, thinkingLevel, model };
}

/** The same, told entry by entry. */
export function buildSessionProjection(
  entries: readonly AnyEntry[],
  leafId?: EntryId | null,
  byId?: ById,
): SessionProjection {
  const context = projection(entries as Entry[], leafId, byId as ReadonlyMap<EntryId, Entry> | undefined);
  return context as unknown as SessionProjection;
}

/** The entries that the context is made of, in its order. */
export function buildContextEntries<E extends AnyEntry>(
  entries: readonly E[],
  leafId?: EntryId | null,
  byId?: ReadonlyMap<EntryId, E>,
): E[] {
  const byIds = byId as unknown as ReadonlyMap<EntryId, Entry> | undefined;
  return contextEntries(entries as unknown as Entry[], leafId, byIds) as unknown as E[];
}

/** The messages that the model sees of one entry, but for edits. */
export function sessionEntryToContextMessages(entry: AnyEntry): AgentMessage[] {
  return messagesOf(entry as Entry) as unknown as AgentMessage[];
}

/** The messages that the model sees of one entry, after the edit that applies to it. */
export function projectContextEntry(entry: AnyEntry, edit: ContextEditEntry | undefined): AgentMessage[] {
  return projected(entry as Entry, edit as LenientEdit | undefined) as unknown as AgentMessage[];
}

/** The latest compaction among some entries, or null. */
export function getLatestCompactionEntry(entries: readonly SessionEntry[]): CompactionEntry | null {
  return (entries.findLast(({ type }) => type === "compaction") as CompactionEntry | undefined) ?? null;
}
