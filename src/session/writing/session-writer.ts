import { badOption, PidexError } from "../../errors.ts";
import { ORGANISING_TYPE } from "../organising.ts";
import type {
  AppendableMessage,
  ContextEditEntry,
  CustomMessageEntry,
  SessionEntry,
  TokenUsage,
  UsageEntry,
} from "../session-types.ts";
import { currentSystemMessage } from "../system-prompt.ts";
import { cleanTags } from "../tags.ts";
import { assertReplacement, replacementFor } from "./context-edit.ts";
import { given } from "./given.ts";
import { newEntryId } from "./ids.ts";
import type { Durability } from "./session-file.ts";
import { SessionReader } from "./session-reader.ts";
import type { SessionStore } from "./session-store.ts";

/** How sessions are written; pi has no such options. */
export interface WritingOptions {
  /** Whether an append is with the operating system when it returns (`os`, as with pi), or on the disk (`fsync`). */
  durability?: Durability;
  /**
   * What to do when another process appended to the session: take its entries in, so that they are in the tree while the
   * leaf stays where it is; or throw `SessionChangedError`, and write nothing.
   */
  onForeignEntries?: "adopt" | "throw";
  /** Told after each write: the file, and the byte offset of the line, 0 for a new file. What it throws goes to `onProblem`. */
  onAppended?: (path: string, offset: number) => void;
  /** An open index to bring up to the file after each write, in the background. Where that fails, nothing else does. */
  index?: { syncFile(path: string): Promise<unknown> };
  /**
   * What the real paths of files that are written must begin with, as `index.realRoots()` tells: where a folder was replaced by
   * a link that leads elsewhere, nothing is written, and `FILE_UNWRITABLE` thrown.
   */
  within?: readonly string[];
  /** Told what went wrong beside the session itself. */
  onProblem?: (problem: Error) => void;
}

export interface WriterOptions extends WritingOptions {
  readOnly?: boolean;
}

/** What can be added to a session. Each append goes to the file first, then to memory; what throws leaves both as they were. */
export class SessionWriter extends SessionReader {
  /** @internal */
  protected readonly options: WriterOptions;
  /** Files that the index has not looked at since they were written. */
  readonly #unsynced = new Set<string>();
  #isSyncing = false;

  /** @internal */
  protected constructor(store: SessionStore, options: WriterOptions) {
    super(store);
    this.options = options;
  }

  /**
   * Appends a message. Summaries are entries of their own: `appendCompaction`, `branchWithSummary`.
   *
   * @returns the entry's id, as all appends do
   * @throws PidexError `FILE_UNWRITABLE`, `READ_ONLY`; `SessionChangedError`; TypeError for what JSON cannot hold. So do all
   * appends, and leave the session as it was.
   */
  appendMessage(message: AppendableMessage): string {
    return this.#append({ type: "message", ...this.#link(), message });
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: "thinking_level_change", ...this.#link(), thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ type: "model_change", ...this.#link(), provider, modelId });
  }

  /** Appends spending that is no message's: `kind` is `cache_warm` for example. @returns the entry */
  appendUsage(kind: string, provider: string, model: string, usage: TokenUsage, note?: string): UsageEntry {
    const entry: UsageEntry = {
      type: "usage",
      ...this.#link(),
      kind,
      provider,
      model,
      usage,
      ...(note && { note }),
    };
    this.#append(entry);
    return entry;
  }

  /**
   * Appends a summary that stands in the context for all before `firstKeptEntryId`; for all there is where that is null.
   * The system prompt that is in force is kept with it.
   *
   * @param fromHook true when an extension made it
   */
  appendCompaction<T = unknown>(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: T,
    fromHook?: boolean,
    usage?: TokenUsage,
  ): string {
    const link = this.#link();
    const systemMessage = currentSystemMessage(this.buildSessionProjection().messages);
    return this.#append({
      type: "compaction",
      ...link,
      summary,
      firstKeptEntryId: firstKeptEntryId ?? link.id,
      tokensBefore,
      ...given({ details, usage, fromHook }),
      ...(systemMessage && { systemMessage: { ...systemMessage, timestamp: Date.parse(link.timestamp) } }),
    });
  }

  /** Appends state of an extension, which the model does not see. */
  appendCustomEntry<T = unknown>(customType: string, data?: T): string {
    return this.#append({ type: "custom", customType, ...given({ data }), ...this.#link() });
  }

  /** Names the session; an empty name takes its name away. Line breaks become blanks. */
  appendSessionInfo(name: string): string {
    return this.#append({
      type: "session_info",
      ...this.#link(),
      name: name.replace(/[\r\n]+/g, " ").trim(),
    });
  }

  /** Appends what an extension says to the model. @param display whether people see it */
  appendCustomMessageEntry<T = unknown>(
    customType: string,
    content: CustomMessageEntry["content"],
    display: boolean,
    details?: T,
  ): string {
    const entry = { customType, content, display, ...given({ details }) };
    return this.#append({ type: "custom_message", ...entry, ...this.#link() });
  }

  /**
   * Changes what an earlier entry of this branch says to the model: another content, or null to leave it out.
   *
   * @throws PidexError `NOT_FOUND`; `BAD_OPTION` for an entry on another branch, or one that has no content
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    assertReplacement(replacement);
    const target = this.known(targetId);
    if (!this.getBranch().includes(target)) {
      throw badOption(
        `Entry ${targetId} is not on the active branch`,
        "Edit an entry that getBranch() gives.",
      );
    }
    const fitting = replacementFor(target, replacement);
    return this.#append({ type: "context_edit", ...this.#link(), targetId, replacement: fitting });
  }

  /**
   * Labels an entry, or takes its label away (undefined or empty). Labels are entries: they move the leaf.
   *
   * @throws PidexError `NOT_FOUND`
   */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.known(targetId);
    return this.#append({ type: "label", ...this.#link(), targetId, label });
  }

  /** Names the session, as `appendSessionInfo`. */
  setName(name: string): string {
    return this.appendSessionInfo(name);
  }

  /** Pins the session, or not: pidex lists pinned ones first. It is kept in the file, as all that organises it. */
  setPinned(pinned: boolean): string {
    return this.appendCustomEntry(ORGANISING_TYPE, { pinned });
  }

  /** Archives the session, or not: pidex leaves archived ones out of its list. */
  setArchived(archived: boolean): string {
    return this.appendCustomEntry(ORGANISING_TYPE, { archived });
  }

  /** Gives the session these tags and no others; blanks around them and doubles are taken away. */
  setTags(tags: readonly string[]): string {
    return this.appendCustomEntry(ORGANISING_TYPE, { tags: cleanTags(tags) });
  }

  /** @returns the entry's id; undefined when it had them all */
  addTags(...tags: string[]): string | undefined {
    return this.#changeTags((present) => [...present, ...tags]);
  }

  /** @returns the entry's id; undefined when it had none of them */
  removeTags(...tags: string[]): string | undefined {
    const gone = cleanTags(tags);
    return this.#changeTags((present) => present.filter((tag) => !gone.includes(tag)));
  }

  /** What another process did to the tags counts too. */
  #changeTags(change: (tags: string[]) => string[]): string | undefined {
    this.assertWritable();
    this.store.reload();
    const tags = cleanTags(change(this.getTags()));
    return tags.length === this.getTags().length ? undefined : this.setTags(tags);
  }

  /**
   * Takes in what other processes wrote since; the leaf stays where it is.
   *
   * @throws SessionChangedError when the file no longer holds this session
   */
  reload(): void {
    this.store.reload();
  }

  /** Goes back to an earlier entry: the next append makes a branch there. @throws PidexError `NOT_FOUND` */
  branch(branchFromId: string): void {
    this.known(branchFromId);
    this.store.leafId = branchFromId;
  }

  /** Goes back before all entries: the next append makes a new root. */
  resetLeaf(): void {
    this.store.leafId = null;
  }

  /**
   * Goes back to an earlier entry, or before all (null), with a summary of what is left behind.
   *
   * @throws PidexError `NOT_FOUND`
   */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: TokenUsage,
  ): string {
    if (branchFromId !== null) this.known(branchFromId);
    const fromId = this.store.leafId ?? "root";
    const link = { ...this.#link(), parentId: branchFromId };
    return this.#append({
      type: "branch_summary",
      ...link,
      fromId,
      summary,
      ...given({ details, usage, fromHook }),
    });
  }

  /** What every new entry begins with: it hangs from the leaf. */
  #link(): { id: string; parentId: string | null; timestamp: string } {
    const { byId, leafId } = this.store;
    return { id: newEntryId(byId), parentId: leafId, timestamp: new Date().toISOString() };
  }

  #append(entry: SessionEntry): string {
    this.assertWritable();
    this.store.append(entry);
    if (this.store.isWritten) this.tell(this.store.lastOffset);
    return entry.id;
  }

  protected assertWritable(): void {
    if (!this.options.readOnly) return;
    throw new PidexError("READ_ONLY", "This session was opened to be read only", "Open it without readOnly.");
  }

  /** Tells who wants to know that the file has grown. Whatever they do, the append is done. */
  protected tell(offset: number): void {
    const { onAppended, index } = this.options;
    const path = this.store.path as string;
    try {
      onAppended?.(path, offset);
    } catch (error) {
      this.#problem(error);
    }
    if (!index) return;
    this.#unsynced.add(path);
    if (!this.#isSyncing) void this.#syncIndex(index);
  }

  /** One look at a file at a time, and one more for all that was appended meanwhile. */
  async #syncIndex(index: NonNullable<WritingOptions["index"]>): Promise<void> {
    this.#isSyncing = true;
    for (const path of this.#unsynced) {
      this.#unsynced.delete(path); // added again while it is looked at, it comes again
      try {
        await index.syncFile(path);
      } catch (error) {
        this.#problem(error);
      }
    }
    this.#isSyncing = false;
  }

  #problem(error: unknown): void {
    const problem = error instanceof Error ? error : new Error(String(error));
    try {
      this.options.onProblem?.(problem);
    } catch (thrown) {
      process.emitWarning(thrown instanceof Error ? thrown : String(thrown)); // the append is done all the same
    }
  }
}
