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

/** What can be asked of a session. Nothing here reads or writes its file. */
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

  /** The latest name, all branches together. */
  getSessionName(): string | undefined {
    return this.store.name;
  }

  /** The label in force, by the latest change in the file, all branches together. */
  getLabel(id: string): string | undefined {
    return this.store.labels.get(id)?.label;
  }

  getPinned(): boolean {
    return this.store.organised.pinned;
  }

  getArchived(): boolean {
    return this.store.organised.archived;
  }

  getTags(): string[] {
    return [...this.store.organised.tags];
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

  /** The entries that hang directly from one, in the file's order. */
  getChildren(parentId: string): SessionEntry[] {
    return [...this.store.byId.values()].filter((entry) => entry.parentId === parentId);
  }

  /** The entries from the root to one, or to the leaf; of an unknown one none. Ends where parents go in a circle. */
  getBranch(fromId?: string): SessionEntry[] {
    const { leafId, byId } = this.store;
    const id = fromId ?? leafId;
    return pathTo(id ? byId.get(id) : undefined, byId);
  }

  /** The entries that the context is made of: a compaction first, then what it kept, then what came after it. */
  buildContextEntries(): SessionEntry[] {
    const { entries, leafId, byId } = this.store;
    return buildContextEntries(entries, leafId, byId);
  }

  /** What the model sees at the leaf, entry by entry. */
  buildSessionProjection(): SessionProjection {
    const { entries, leafId, byId } = this.store;
    return buildSessionProjection(entries, leafId, byId);
  }

  /** What the model sees at the leaf. */
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

  /** All entries in the file's order, without the header; the array is a copy. */
  getEntries(): SessionEntry[] {
    return [...this.store.entries];
  }

  /** The entries as a tree: roots with their children, by time; what hangs from nothing that is there is a root. */
  getTree(): SessionTreeNode[] {
    const { entries, labels } = this.store;
    const roots: SessionTreeNode[] = buildTree(entries);
    for (const ahead = [...roots]; ahead.length > 0; ) {
      const node = ahead.pop() as SessionTreeNode;
      const set = labels.get(node.entry.id);
      if (set) Object.assign(node, { label: set.label, labelTimestamp: set.timestamp });
      for (const child of node.children) ahead.push(child);
    }
    return roots;
  }

  /** @throws PidexError `NOT_FOUND` */
  protected known(id: string): SessionEntry {
    const entry = this.store.byId.get(id);
    if (entry) return entry;
    throw new PidexError("NOT_FOUND", `Entry ${id} not found`, "getEntries() gives all entries there are.");
  }
}
