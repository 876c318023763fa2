/** The context of a session, typed for agents: the functions of `context.ts` under pi's types. */
import {
  buildContextEntries as contextEntries,
  projectContextEntry as project,
  buildSessionProjection as projection,
  sessionEntryToContextMessages as toMessages,
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

// Any field of an entry in a file may have the wrong shape. `context.ts` trusts none of them; these types are the usual shape.
type AnyEntry = SessionEntry | Entry;
type ById = ReadonlyMap<EntryId, AnyEntry>;

/**
 * The model's context at `leafId`: the latest compaction on its path, the entries it kept and everything after it, with
 * `context_edit`s applied. Thinking level and model come from the whole path.
 *
 * @param leafId undefined or unknown means the last entry; null gives an empty context
 * @param byId the entries by id, if the caller already has them
 */
export function buildSessionContext(
  entries: readonly AnyEntry[],
  leafId?: EntryId | null,
  byId?: ById,
): SessionContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId);
  return { messages, thinkingLevel, model };
}

/** The same context, grouped by source entry. */
export function buildSessionProjection(
  entries: readonly AnyEntry[],
  leafId?: EntryId | null,
  byId?: ById,
): SessionProjection {
  const context = projection(entries as Entry[], leafId, byId as ReadonlyMap<EntryId, Entry> | undefined);
  return context as unknown as SessionProjection;
}

/** The entries that make up the context, in context order. */
export function buildContextEntries<E extends AnyEntry>(
  entries: readonly E[],
  leafId?: EntryId | null,
  byId?: ReadonlyMap<EntryId, E>,
): E[] {
  const byIds = byId as unknown as ReadonlyMap<EntryId, Entry> | undefined;
  return contextEntries(entries as unknown as Entry[], leafId, byIds) as unknown as E[];
}

/** The context messages of one entry, without edits. */
export function sessionEntryToContextMessages(entry: AnyEntry): AgentMessage[] {
  return toMessages(entry as Entry) as unknown as AgentMessage[];
}

/** The context messages of one entry, with its edit applied. */
export function projectContextEntry(entry: AnyEntry, edit: ContextEditEntry | undefined): AgentMessage[] {
  return project(entry as Entry, edit as LenientEdit | undefined) as unknown as AgentMessage[];
}

/** The last compaction in a list of entries, or null. */
export function getLatestCompactionEntry(entries: readonly SessionEntry[]): CompactionEntry | null {
  return (entries.findLast(({ type }) => type === "compaction") as CompactionEntry | undefined) ?? null;
}
