/** The entries of a branch, read from the file a few at a time. */
import type { Index, LocatedEntry, Outline, SessionInfo } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import type { Branch } from "./branch.ts";
import { toEntryText } from "./entry-text.ts";
import type { OtherBranch, OtherBranches } from "./other-branches.ts";
import type { CachedOutline } from "./outline-cache.ts";

/** Entries per batch, and the tokens of a page per entry: every batch goes through all rows of the session. */
const BATCH = { minEntries: 16, maxEntries: 64, tokensPerEntry: 800 };

/** An entry as text, with its location. */
export interface BranchEntry {
  /** Its index on the branch, from 0. */
  index: number;
  who: string;
  /** Empty if the entry has no readable text. */
  text: string;
  located: LocatedEntry;
  /** The entries that replace it on other branches. */
  otherBranches: OtherBranch[];
  /** Paths of sessions. */
  subagents: string[];
}

export interface BranchReadOptions {
  redactor: Redactor | undefined;
  thinking: boolean;
  /** Token budget of the page. */
  max_tokens: number;
  signal: AbortSignal | undefined;
}

export class BranchReader {
  readonly #index: Index;
  readonly #session: SessionInfo;
  readonly #outline: Outline;
  readonly #others: OtherBranches;
  readonly #options: BranchReadOptions;

  constructor(
    index: Index,
    session: SessionInfo,
    { outline, otherBranches }: CachedOutline,
    options: BranchReadOptions,
  ) {
    this.#index = index;
    this.#session = session;
    this.#outline = outline;
    this.#others = otherBranches;
    this.#options = options;
  }

  /**
   * Yields entries from the index `first` on, forwards or backwards.
   *
   * @throws as `Index.entries`; the signal's reason when aborted
   */
  async *readFrom(branch: Branch, first: number, step: 1 | -1): AsyncGenerator<BranchEntry> {
    const { minEntries, maxEntries, tokensPerEntry } = BATCH;
    const count = Math.max(
      minEntries,
      Math.min(maxEntries, Math.ceil(this.#options.max_tokens / tokensPerEntry)),
    );
    for (let from = first; from >= 0 && from < branch.positions.length; from += step * count) {
      const indexes = Array.from({ length: count }, (_, n) => from + step * n);
      const read = await this.readAt(
        branch,
        indexes.filter((at) => at >= 0 && at < branch.positions.length),
      );
      yield* step === 1 ? read : read.reverse();
    }
  }

  /** Reads the entries at the given indexes, in branch order. @throws as `from` */
  async readAt({ positions }: Branch, indexes: readonly number[]): Promise<BranchEntry[]> {
    const { redactor, signal } = this.#options;
    signal?.throwIfAborted();
    const { line, runs } = this.#outline;
    const byLine = new Map(indexes.map((at) => [line[positions[at] as number] as number, at]));
    const read: BranchEntry[] = [];
    const lines = { branch: { lines: [...byLine.keys()] } };
    for await (const place of this.#index.entries(this.#session.path, lines)) {
      const { who, text } = toEntryText(
        redactor ? redactor.redactValue(place.entry) : place.entry,
        this.#options,
      );
      const readAt = byLine.get(place.line) as number;
      const position = positions[readAt] as number;
      read.push({
        ...{ index: readAt, who, text, located: place },
        otherBranches: this.#others.findReplacing(position),
        subagents: runs.filter((run) => run.position === position).map(({ path }) => path),
      });
    }
    return read.sort((a, b) => a.index - b.index);
  }
}
