/** The entries of a branch, read from the file a few at a time. */
import type { Index, Outline, PlacedEntry, Redactor, SessionInfo } from "../../index.ts";
import type { Branch } from "./branch.ts";
import { wordsOf } from "./entry-words.ts";
import type { OtherBranch, OtherBranches } from "./other-branches.ts";
import type { HeldOutline } from "./outlines.ts";

/** Entries that are read at once, and so many tokens of a page ask for one: each time, all rows of the session are gone through. */
const AT_ONCE = { least: 16, most: 64, tokens: 800 };

/** An entry in words, and where it stands. */
export interface Placed {
  /** Its place on the branch, from 0. */
  at: number;
  who: string;
  /** Empty where it says nothing. */
  text: string;
  place: PlacedEntry;
  /** What stands in its place on other branches. */
  instead: OtherBranch[];
  /** Paths of sessions. */
  subagents: string[];
}

export interface HowToRead {
  redactor: Redactor | undefined;
  thinking: boolean;
  /** How long the page may be that is to be filled. */
  max_tokens: number;
  signal: AbortSignal | undefined;
}

export class BranchEntries {
  readonly #index: Index;
  readonly #session: SessionInfo;
  readonly #outline: Outline;
  readonly #others: OtherBranches;
  readonly #how: HowToRead;

  constructor(index: Index, session: SessionInfo, { outline, others }: HeldOutline, how: HowToRead) {
    this.#index = index;
    this.#session = session;
    this.#outline = outline;
    this.#others = others;
    this.#how = how;
  }

  /**
   * Entries from one on, forwards or backwards.
   *
   * @param only so many and no more
   * @throws as `Index.entries`; the signal's reason when aborted
   */
  async *from({ positions }: Branch, first: number, step: 1 | -1, only?: number): AsyncGenerator<Placed> {
    const { least, most, tokens } = AT_ONCE;
    const atOnce = only ?? Math.max(least, Math.min(most, Math.ceil(this.#how.max_tokens / tokens)));
    for (let from = first; from >= 0 && from < positions.length; from += step * atOnce) {
      this.#how.signal?.throwIfAborted();
      const byLine = new Map<number, number>();
      for (let n = 0; n < atOnce; n++) {
        const position = positions[from + step * n];
        if (position !== undefined) byLine.set(this.#outline.line[position] as number, from + step * n);
      }
      const read: Placed[] = [];
      for await (const place of this.#index.entries(this.#session.path, {
        branch: { lines: [...byLine.keys()] },
      })) {
        const { redactor } = this.#how;
        const { who, text } = wordsOf(redactor ? redactor.value(place.entry) : place.entry, this.#how);
        const at = byLine.get(place.line) as number;
        const position = positions[at] as number;
        read.push({
          ...{ at, who, text, place },
          instead: this.#others.insteadOf(position),
          subagents: this.#outline.runs.filter((run) => run.position === position).map(({ path }) => path),
        });
      }
      yield* read.sort((a, b) => step * (a.at - b.at));
      if (only !== undefined) return;
    }
  }
}
