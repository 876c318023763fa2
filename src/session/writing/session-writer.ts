import { badOption, PidexError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { METADATA_TYPE } from "../session-metadata.ts";
import type {
  AppendableMessage,
  ContextEditEntry,
  CustomMessageEntry,
  SessionEntry,
  TokenUsage,
  UsageEntry,
} from "../session-types.ts";
import { mergeSystemMessages } from "../system-prompt.ts";
import { normalizeTags } from "../tags.ts";
import { assertValidReplacement, convertReplacement } from "./context-edit.ts";
import { newEntryId } from "./ids.ts";
import type { Durability } from "./session-file.ts";
import { SessionReader } from "./session-reader.ts";
import type { SessionStore } from "./session-store.ts";

/** Options for writing sessions, which pi does not have. */
export interface WritingOptions {
  /** When an append returns: `os` (default, as in pi) once the operating system has it, `fsync` once it is on disk. */
  durability?: Durability;
  /**
   * What to do if another process appended to the session: `adopt` its entries into the tree without moving the leaf (default), or
   * `throw` `SessionChangedError` and write nothing.
   */
  onForeignEntries?: "adopt" | "throw";
  /** Called after each write with the file and the byte offset of the line; 0 for a new file. Its errors go to `onProblem`. */
  onAppended?: (path: string, offset: number) => void;
  /** An open index to sync in the background after each write. A failed sync does not affect the append. */
  index?: { syncFile(path: string): Promise<unknown> };
  /**
   * Allowed prefixes of the real paths of written files, as returned by `index.realRoots()`. If a folder was replaced by a link to
   * another location, nothing is written and `FILE_UNWRITABLE` is thrown.
   */
  within?: readonly string[];
  /** Called with errors of `onAppended` and of the index. */
  onProblem?: (problem: Error) => void;
}

export interface WriterOptions extends WritingOptions {
  readOnly?: boolean;
}

/** The write methods of a session. Each append goes to the file first, then to memory; an append that throws changes neither. */
export class SessionWriter extends SessionReader {
  /** @internal */
  protected readonly options: WriterOptions;
  /** Files written since their last sync. */
  readonly #unsynced = new Set<string>();
  #isSyncing = false;

  /** @internal */
  protected constructor(store: SessionStore, options: WriterOptions) {
    super(store);
    this.options = options;
  }

  /**
   * Appends a message. For summaries, use `appendCompaction` and `branchWithSummary`.
   *
   * @returns the entry's id, as all appends do
   * @throws as all appends: PidexError `FILE_UNWRITABLE`, `READ_ONLY`; SessionChangedError; TypeError for values that JSON cannot
   * represent. The session is then unchanged.
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

  /** Appends usage outside any message; `kind` is for example `cache_warm`. @returns the entry */
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
   * Appends a summary that replaces all entries before `firstKeptEntryId` in the context; all entries if that is null. Stores the
   * current system prompt with it.
   *
   * @param fromHook true if an extension created it
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
    const systemMessage = mergeSystemMessages(this.buildSessionProjection().messages);
    return this.#append({
      type: "compaction",
      ...link,
      summary,
      firstKeptEntryId: firstKeptEntryId ?? link.id,
      tokensBefore,
      ...omitUndefined({ details, usage, fromHook }),
      ...(systemMessage && { systemMessage: { ...systemMessage, timestamp: Date.parse(link.timestamp) } }),
    });
  }

  /** Appends state of an extension, which is not part of the model's context. */
  appendCustomEntry<T = unknown>(customType: string, data?: T): string {
    return this.#append({ type: "custom", customType, ...omitUndefined({ data }), ...this.#link() });
  }

  /** Sets the session's name; an empty name removes it. Line breaks become spaces. */
  appendSessionInfo(name: string): string {
    return this.#append({
      type: "session_info",
      ...this.#link(),
      name: name.replace(/[\r\n]+/g, " ").trim(),
    });
  }

  /** Appends a message from an extension to the model. @param display whether it is shown to users */
  appendCustomMessageEntry<T = unknown>(
    customType: string,
    content: CustomMessageEntry["content"],
    display: boolean,
    details?: T,
  ): string {
    const entry = { customType, content, display, ...omitUndefined({ details }) };
    return this.#append({ type: "custom_message", ...entry, ...this.#link() });
  }

  /**
   * Replaces the content of an earlier entry of this branch in the model's context; null removes the entry from it.
   *
   * @throws PidexError `NOT_FOUND`; `BAD_OPTION` for an entry on another branch or without content
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    assertValidReplacement(replacement);
    const target = this.getExistingEntry(targetId);
    if (!this.getBranch().includes(target)) {
      throw badOption(
        `Entry ${targetId} is not on the active branch`,
        "Edit an entry that getBranch() returns.",
      );
    }
    const converted = convertReplacement(target, replacement);
    return this.#append({ type: "context_edit", ...this.#link(), targetId, replacement: converted });
  }

  /**
   * Sets the label of an entry, or removes it (undefined or empty). Labels are entries, so this moves the leaf.
   *
   * @throws PidexError `NOT_FOUND`
   */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.getExistingEntry(targetId);
    return this.#append({ type: "label", ...this.#link(), targetId, label });
  }

  /** Sets the session's name. Same as `appendSessionInfo`. */
  setName(name: string): string {
    return this.appendSessionInfo(name);
  }

  /** Pins or unpins the session: pidex lists pinned sessions first. Stored in the session file, as archived state and tags. */
  setPinned(pinned: boolean): string {
    return this.appendCustomEntry(METADATA_TYPE, { pinned });
  }

  /** Archives or unarchives the session: pidex hides archived sessions from its list. */
  setArchived(archived: boolean): string {
    return this.appendCustomEntry(METADATA_TYPE, { archived });
  }

  /** Replaces the session's tags. Trims them and removes duplicates. */
  setTags(tags: readonly string[]): string {
    return this.appendCustomEntry(METADATA_TYPE, { tags: normalizeTags(tags) });
  }

  /** @returns the entry's id; undefined if it already had all of them */
  addTags(...tags: string[]): string | undefined {
    return this.#changeTags((present) => [...present, ...tags]);
  }

  /** @returns the entry's id; undefined if it had none of them */
  removeTags(...tags: string[]): string | undefined {
    const removed = normalizeTags(tags);
    return this.#changeTags((present) => present.filter((tag) => !removed.includes(tag)));
  }

  /** Reloads first, so that tags changed by another process are kept. */
  #changeTags(change: (tags: string[]) => string[]): string | undefined {
    this.assertWritable();
    this.store.reload();
    const tags = normalizeTags(change(this.getTags()));
    return tags.length === this.getTags().length ? undefined : this.setTags(tags);
  }

  /**
   * Reads entries written by other processes; the leaf stays the same.
   *
   * @throws SessionChangedError if the file no longer contains this session
   */
  reload(): void {
    this.store.reload();
  }

  /** Moves the leaf to an earlier entry: the next append creates a branch there. @throws PidexError `NOT_FOUND` */
  branch(branchFromId: string): void {
    this.getExistingEntry(branchFromId);
    this.store.leafId = branchFromId;
  }

  /** Clears the leaf: the next append creates a new root. */
  resetLeaf(): void {
    this.store.leafId = null;
  }

  /**
   * Moves the leaf to an earlier entry, or before all entries (null), and appends a summary of the abandoned branch.
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
    if (branchFromId !== null) this.getExistingEntry(branchFromId);
    const fromId = this.store.leafId ?? "root";
    const link = { ...this.#link(), parentId: branchFromId };
    return this.#append({
      type: "branch_summary",
      ...link,
      fromId,
      summary,
      ...omitUndefined({ details, usage, fromHook }),
    });
  }

  /** The common fields of a new entry, with the leaf as its parent. */
  #link(): { id: string; parentId: string | null; timestamp: string } {
    const { byId, leafId } = this.store;
    return { id: newEntryId(byId), parentId: leafId, timestamp: new Date().toISOString() };
  }

  #append(entry: SessionEntry): string {
    this.assertWritable();
    this.store.append(entry);
    if (this.store.isWritten) this.notifyAppended(this.store.lastOffset);
    return entry.id;
  }

  protected assertWritable(): void {
    if (!this.options.readOnly) return;
    throw new PidexError("READ_ONLY", "the session is open read-only", "Open it without readOnly.");
  }

  /** Notifies `onAppended` and the index of an append. Their errors do not affect it. */
  protected notifyAppended(offset: number): void {
    const { onAppended, index } = this.options;
    const path = this.store.path as string;
    try {
      onAppended?.(path, offset);
    } catch (error) {
      this.#reportProblem(error);
    }
    if (!index) return;
    this.#unsynced.add(path);
    if (!this.#isSyncing) void this.#syncIndex(index);
  }

  /** Syncs one file at a time. A file appended to meanwhile is synced once more. */
  async #syncIndex(index: NonNullable<WritingOptions["index"]>): Promise<void> {
    this.#isSyncing = true;
    for (const path of this.#unsynced) {
      this.#unsynced.delete(path); // an append during its sync adds it again
      try {
        await index.syncFile(path);
      } catch (error) {
        this.#reportProblem(error);
      }
    }
    this.#isSyncing = false;
  }

  #reportProblem(error: unknown): void {
    const problem = error instanceof Error ? error : new Error(String(error));
    try {
      this.options.onProblem?.(problem);
    } catch (thrown) {
      process.emitWarning(thrown instanceof Error ? thrown : String(thrown)); // the append has succeeded
    }
  }
}
