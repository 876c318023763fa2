import { PidexError } from "../../errors.ts";
import { buildContextEntries, buildSessionProjection } from "../agent-context.ts";
import type {
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionProjection,
  SessionTreeNode,
} from "../session-types.ts";
import { buildTree, pathTo } from "../tree.ts";
import type { SessionStore } from "./session-store.ts";

/** The read methods of a session. They use the entries in memory and never access the file. */
export class SessionReader {
  /** @internal */
  protected store: SessionStore;

  /** @internal */
  protected constructor(store: SessionStore) {
    this.store = store;
  }

  getSessionId(): string {
    return this.store.header.id;
  }

  getSessionFile(): string | undefined {
    return this.store.path;
  }

  /** The last name in the file, on any branch. */
  getSessionName(): string | undefined {
    return this.store.name;
  }

  /** The current label of an entry: the last one in the file, on any branch. */
  getLabel(id: string): string | undefined {
    return this.store.labels.get(id)?.label;
  }

  getPinned(): boolean {
    return this.store.metadata.pinned;
  }

  getArchived(): boolean {
    return this.store.metadata.archived;
  }

  getTags(): string[] {
    return [...this.store.metadata.tags];
  }

  getLeafId(): string | null {
    return this.store.leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId, byId } = this.store;
    return leafId === null ? undefined : byId.get(leafId);
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.store.byId.get(id);
  }

  /** The direct children of an entry, in file order. */
  getChildren(parentId: string): SessionEntry[] {
    return [...this.store.byId.values()].filter((entry) => entry.parentId === parentId);
  }

  /** The entries from the root to an entry (default: the leaf); empty if it is unknown. Stops at a cycle of parents. */
  getBranch(fromId?: string): SessionEntry[] {
    const { leafId, byId } = this.store;
    const id = fromId ?? leafId;
    return pathTo(id ? byId.get(id) : undefined, byId);
  }

  /** The entries that make up the context: the latest compaction, the entries it kept, and the entries after it. */
  buildContextEntries(): SessionEntry[] {
    const { entries, leafId, byId } = this.store;
    return buildContextEntries(entries, leafId, byId);
  }

  /** The model's context at the leaf, grouped by source entry. */
  buildSessionProjection(): SessionProjection {
    const { entries, leafId, byId } = this.store;
    return buildSessionProjection(entries, leafId, byId);
  }

  /** The model's context at the leaf. */
  buildSessionContext(): SessionContext {
    const { messages, thinkingLevel, model } = this.buildSessionProjection();
    return { messages, thinkingLevel, model };
  }

  getHeader(): SessionHeader | null {
    return this.store.header;
  }

  getEntryCount(): number {
    return this.store.byId.size;
  }

  /** A copy of all entries in file order, without the header. */
  getEntries(): SessionEntry[] {
    return [...this.store.entries];
  }

  /** The tree of entries: roots with their children, by time. An entry with an unknown parent is a root. */
  getTree(): SessionTreeNode[] {
    const { entries, labels } = this.store;
    const roots: SessionTreeNode[] = buildTree(entries);
    for (const pending = [...roots]; pending.length > 0; ) {
      const node = pending.pop() as SessionTreeNode;
      const set = labels.get(node.entry.id);
      if (set) Object.assign(node, { label: set.label, labelTimestamp: set.timestamp });
      for (const child of node.children) pending.push(child);
    }
    return roots;
  }

  /** @throws PidexError `NOT_FOUND` */
  protected getExistingEntry(id: string): SessionEntry {
    const entry = this.store.byId.get(id);
    if (entry) return entry;
    throw new PidexError(
      "NOT_FOUND",
      `Entry ${id} not found`,
      "Pass the id of an entry that getEntries() returns.",
    );
  }
}
