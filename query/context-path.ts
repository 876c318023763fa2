import type { Entry, EntryId } from "../src/session/entries.ts";
import type { EntryRow } from "../src/store/entry-reads.ts";

/**
 * Chooses the entries of a path that its context depends on, from the last to the first: those since the latest compaction and those it kept,
 * and of the others only the ones that set a model or a thinking level. Of a session with many compactions, these are few.
 */
export class ContextPath {
  /** Backwards. */
  readonly #entries: Entry[] = [];
  /** The first entry that the latest compaction kept; null before it was found, undefined after it was. */
  #firstKept: EntryId | null | undefined = null;
  #compaction: Entry | undefined;
  #hasModel = false;
  #hasThinkingLevel = false;

  /** Whether no earlier entry matters. */
  get isComplete(): boolean {
    return this.#hasAllMessages && this.#hasModel && this.#hasThinkingLevel;
  }

  get #hasAllMessages(): boolean {
    return this.#compaction !== undefined && this.#firstKept === undefined;
  }

  /** Whether an entry must be read. Call it for each entry, from the last to the first. */
  needs({ type, role }: Pick<EntryRow, "type" | "role">): boolean {
    if (!this.#hasAllMessages) return true;
    if (type === "thinking_level_change") return !this.#hasThinkingLevel;
    return !this.#hasModel && (type === "model_change" || role === "assistant");
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    // A model change may be for another role than the conversation, but an answer always has the model of its path.
    if (entry.type === "message" && entry.message?.role === "assistant") this.#hasModel = true;
    if (entry.type === "thinking_level_change" && entry.thinkingLevel != null) this.#hasThinkingLevel = true;
    if (!this.#compaction && entry.type === "compaction") {
      this.#compaction = entry;
      this.#firstKept = entry.firstKeptEntryId ?? undefined;
    } else if (this.#compaction && entry.id === this.#firstKept) this.#firstKept = undefined;
  }

  /** The chosen entries, from the first to the last. */
  entries(): Entry[] {
    return this.#entries.reverse();
  }
}
