/** The token budget of a page: how much of each entry it holds. */
import type { ReadEntry } from "./answers.ts";
import type { Placed } from "./branch-entries.ts";
import { cursorGone } from "./page-end.ts";
import { costOf } from "./page-text.ts";
import { charactersFor, tokensIn } from "./tokens.ts";
import { timeIn } from "./told.ts";

/** Maximum share of a page for an entry other than the requested one. The rest of the entry can be read separately. */
export const MOST_OF_PAGE = 0.4;
/** Minimum tokens of an entry, however small the budget is. */
const MIN_ENTRY_TOKENS = 30;
/** Minimum share of a page to start another entry, unless the whole entry fits. */
const MIN_ENTRY_SHARE = 0.1;
/** Remainders up to this many characters, and so at most as many tokens, are not omitted. */
const MAX_INLINE_REST = 15;

/** An entry of the page, with its index on the branch. */
export interface Told {
  at: number;
  entry: ReadEntry;
  /** Offset in its text where the next page continues, if it was truncated. */
  rest?: number;
}

export class PageRoom {
  readonly #maxTokens: number;
  readonly #path: string;
  /** Tokens left. */
  left: number;

  /** @param path of the session, for the citations of entries without an ID */
  constructor(maxTokens: number, left: number, path: string) {
    this.#maxTokens = maxTokens;
    this.left = Math.max(left, 2 * MIN_ENTRY_TOKENS);
    this.#path = path;
  }

  /**
   * Fits an entry into the page, if there is room; a required entry always fits in part.
   *
   * @param share maximum share of the page
   * @param told characters of its text that earlier pages returned
   * @throws PidexError `BAD_CURSOR` if the text ends before `told`
   */
  fit(placed: Placed, share: number, told = 0, isRequired = share === 1): Told | "nothing" | undefined {
    if (told > 0 && told >= placed.text.length) throw cursorGone();
    if (placed.text === "") return "nothing";
    const path = this.#path;
    const bare = costOf(truncateEntry(placed, told, 0).entry, path);
    const whole = Math.min(this.left - bare, this.#maxTokens * share);
    const needed = tokensIn(placed.text.slice(told));
    const isTooLittle = whole < Math.min(needed, this.#maxTokens * MIN_ENTRY_SHARE);
    if (!isRequired && isTooLittle) return undefined;
    let tokens = Math.max(whole, MIN_ENTRY_TOKENS);
    let fitted = truncateEntry(placed, told, tokens);
    // Quoted or as JSON, a text takes more tokens than by itself: every line has a prefix, and characters are escaped.
    for (
      let cost = costOf(fitted.entry, path);
      cost > bare + whole && tokens > MIN_ENTRY_TOKENS;
      cost = costOf(fitted.entry, path)
    ) {
      tokens = Math.max(MIN_ENTRY_TOKENS, (tokens * 0.9 * whole) / (cost - bare));
      fitted = truncateEntry(placed, told, tokens);
    }
    this.left -= costOf(fitted.entry, path);
    return fitted;
  }
}

/** Returns the entry with as much of its text from the offset `from` on as fits into `tokens`. */
function truncateEntry(
  { at, who, text, place, instead, subagents }: Placed,
  from: number,
  tokens: number,
): Told {
  const fitting = charactersFor(text, from, Math.floor(tokens));
  // The note about omitted characters takes more tokens than a few characters do.
  const isNearlyAll = text.length - from - fitting <= MAX_INLINE_REST && tokens > 0;
  const end = isNearlyAll ? text.length : from + fitting;
  const omitted = text.length - (end - from);
  const timestamp = timeIn(place.entry.timestamp);
  const entry: ReadEntry = {
    entryId: place.entry.id ?? null,
    line: place.line,
    who,
    ...(timestamp !== undefined && { timestamp }),
    text: text.slice(from, end),
    ...(omitted > 0 && { left_out: omitted }),
    ...(instead.length > 0 && { instead }),
    ...(subagents.length > 0 && { subagents }),
  };
  return { at, entry, ...(end < text.length && { rest: end }) };
}
