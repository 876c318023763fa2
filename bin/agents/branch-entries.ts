/** The entries of a branch, read from the file a few at a time. */
import type { Index, Outline, PlacedEntry, SessionInfo } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
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
   * @throws as `Index.entries`; the signal's reason when aborted
   */
  async *from(branch: Branch, first: number, step: 1 | -1): AsyncGenerator<Placed> {
    const { least, most, tokens } = AT_ONCE;
    const count = Math.max(least, Math.min(most, Math.ceil(this.#how.max_tokens / tokens)));
    for (let from = first; from >= 0 && from < branch.positions.length; from += step * count) {
      const places = Array.from({ length: count }, (_, n) => from + step * n);
      const read = await this.at(
        branch,
        places.filter((at) => at >= 0 && at < branch.positions.length),
      );
      yield* step === 1 ? read : read.reverse();
    }
  }

  /** Entries at some places, in the order of the branch. @throws as `from` */
  async at({ positions }: Branch, places: readonly number[]): Promise<Placed[]> {
    const { redactor, signal } = this.#how;
    signal?.throwIfAborted();
    const { line, runs } = this.#outline;
    const byLine = new Map(places.map((at) => [line[positions[at] as number] as number, at]));
    const read: Placed[] = [];
    const lines = { branch: { lines: [...byLine.keys()] } };
    for await (const place of this.#index.entries(this.#session.path, lines)) {
      const { who, text } = wordsOf(redactor ? redactor.value(place.entry) : place.entry, this.#how);
      const at = byLine.get(place.line) as number;
      const position = positions[at] as number;
      read.push({
        ...{ at, who, text, place },
        instead: this.#others.insteadOf(position),
        subagents: runs.filter((run) => run.position === position).map(({ path }) => path),
      });
    }
    return read.sort((a, b) => a.at - b.at);
  }
}
