import type { TextRange } from "../../src/store/words/tokens.ts";

/** A match of a term. */
export interface TermMatch extends TextRange {
  /** Index of the term. */
  term: number;
  /** Whether it is written as in the query, including punctuation. */
  literal: boolean;
}

/** Maximum number of characters between terms that follow each other as in the query. */
const NEAR = 3;

/**
 * Returns the most informative window of a text, of at most `width`: with the distinct terms of the greatest weight; then the most terms
 * written as in the query; then the most terms in the order of the query; then the most matches; then the shortest; then the
 * first. `found` is in text order. Undefined if it is empty.
 */
export function findBestWindow(
  found: readonly TermMatch[],
  width: number,
  weightOf: (term: number) => number = () => 1,
): TextRange | undefined {
  const tally = new Tally(weightOf);
  let best: { range: TextRange; merits: number[] } | undefined;
  let from = 0;
  found.forEach((last, to) => {
    tally.add(last, from < to ? found[to - 1] : undefined);
    while (from < to && (found[from] as TermMatch).start < last.end - width) {
      tally.remove(found[from] as TermMatch, found[from + 1]);
      from++;
    }
    const { start } = found[from] as TermMatch;
    const distance = from === to ? 0 : last.end - start;
    const merits = [...tally.merits(), to - from + 1, -distance];
    if (!best || isBetter(merits, best.merits)) best = { range: { start, end: last.end }, merits };
  });
  return best?.range;
}

/** Counts for the moving window. */
class Tally {
  readonly #terms: Counts;
  readonly #literal: Counts;
  #inRow = 0;

  constructor(weightOf: (term: number) => number) {
    this.#terms = new Counts(weightOf);
    this.#literal = new Counts(weightOf);
  }

  add(find: TermMatch, before: TermMatch | undefined): void {
    this.#terms.add(find.term, 1);
    if (find.literal) this.#literal.add(find.term, 1);
    if (before && follows(before, find)) this.#inRow++;
  }

  /** Removes the first match. */
  remove(find: TermMatch, next: TermMatch | undefined): void {
    this.#terms.add(find.term, -1);
    if (find.literal) this.#literal.add(find.term, -1);
    if (next && follows(find, next)) this.#inRow--;
  }

  merits(): number[] {
    return [this.#terms.weight, this.#literal.weight, this.#inRow];
  }
}

/** A multiset of terms with the weight of the distinct ones. */
class Counts {
  readonly #counts = new Map<number, number>();
  readonly #weightOf: (term: number) => number;
  weight = 0;

  constructor(weightOf: (term: number) => number) {
    this.#weightOf = weightOf;
  }

  add(number: number, times: 1 | -1): void {
    const before = this.#counts.get(number) ?? 0;
    this.#counts.set(number, before + times);
    if (before === 0) this.weight += this.#weightOf(number);
    else if (before + times === 0) this.weight -= this.#weightOf(number);
  }
}

function follows(find: TermMatch, next: TermMatch): boolean {
  return next.term === find.term + 1 && next.start >= find.end && next.start - find.end <= NEAR;
}

function isBetter(merits: readonly number[], than: readonly number[]): boolean {
  const n = merits.findIndex((merit, n) => merit !== than[n]);
  return n !== -1 && (merits[n] as number) > (than[n] as number);
}
