/** The token budget of a page: how much of each entry it holds. */
import type { ReadEntry } from "./answers.ts";
import type { BranchEntry } from "./branch-reader.ts";
import { countEntryTokens } from "./format-page.ts";
import { toTimestamp } from "./format-session.ts";
import { staleCursorError } from "./read-cursor.ts";
import { countFittingCharacters, estimateTokens } from "./tokens.ts";

/** Maximum share of a page for an entry other than the requested one. The rest of the entry can be read separately. */
export const MAX_ENTRY_SHARE = 0.4;
/** Minimum tokens of an entry, however small the budget is. */
const MIN_ENTRY_TOKENS = 30;
/** Minimum share of a page to start another entry, unless the whole entry fits. */
const MIN_ENTRY_SHARE = 0.1;
/** Remainders up to this many characters, and so at most as many tokens, are not omitted. */
const MAX_INLINE_REST = 15;

/** An entry of the page, with its index on the branch. */
export interface RenderedEntry {
  index: number;
  entry: ReadEntry;
  /** Offset in its text where the next page continues, if it was truncated. */
  nextOffset?: number | undefined;
}

export class TokenBudget {
  readonly #maxTokens: number;
  readonly #path: string;
  /** Tokens left. */
  tokensLeft: number;

  /** @param path of the session, for the citations of entries without an id */
  constructor(maxTokens: number, left: number, path: string) {
    this.#maxTokens = maxTokens;
    this.tokensLeft = Math.max(left, 2 * MIN_ENTRY_TOKENS);
    this.#path = path;
  }

  /**
   * Fits an entry into the page, if there is room.
   *
   * @param share maximum share of the page; an entry that may take more than the usual share is required and always fits in part
   * @param offset characters of its text that earlier pages returned
   * @throws PidexError `BAD_CURSOR` if the text ends before `offset`
   */
  fitEntry(placed: BranchEntry, share: number, offset = 0): RenderedEntry | "nothing" | undefined {
    if (offset > 0 && offset >= placed.text.length) throw staleCursorError();
    if (placed.text === "") return "nothing";
    const path = this.#path;
    const bare = countEntryTokens(truncateEntry(placed, offset, 0).entry, path);
    const whole = Math.min(this.tokensLeft - bare, this.#maxTokens * share);
    const needed = estimateTokens(placed.text.slice(offset));
    const isTooLittle = whole < Math.min(needed, this.#maxTokens * MIN_ENTRY_SHARE);
    if (share <= MAX_ENTRY_SHARE && isTooLittle) return undefined;
    let tokens = Math.max(whole, MIN_ENTRY_TOKENS);
    let fitted = truncateEntry(placed, offset, tokens);
    // Quoted or as JSON, a text takes more tokens than by itself: every line has a prefix, and characters are escaped.
    for (
      let cost = countEntryTokens(fitted.entry, path);
      cost > bare + whole && tokens > MIN_ENTRY_TOKENS;
      cost = countEntryTokens(fitted.entry, path)
    ) {
      tokens = Math.max(MIN_ENTRY_TOKENS, (tokens * 0.9 * whole) / (cost - bare));
      fitted = truncateEntry(placed, offset, tokens);
    }
    this.tokensLeft -= countEntryTokens(fitted.entry, path);
    return fitted;
  }
}

/** Returns the entry with as much of its text from the offset `from` on as fits into `tokens`. */
function truncateEntry(
  { index, who, text, located, otherBranches, subagents }: BranchEntry,
  from: number,
  tokens: number,
): RenderedEntry {
  const fitting = countFittingCharacters(text, from, Math.floor(tokens));
  // The note about omitted characters takes more tokens than a few characters do.
  const isNearlyAll = text.length - from - fitting <= MAX_INLINE_REST && tokens > 0;
  const end = isNearlyAll ? text.length : from + fitting;
  const omittedCharacters = text.length - (end - from);
  const entry: ReadEntry = {
    entryId: located.entry.id ?? null,
    line: located.line,
    who,
    timestamp: toTimestamp(located.entry.timestamp),
    text: text.slice(from, end),
    ...(omittedCharacters > 0 && { omittedCharacters }),
    ...(otherBranches.length > 0 && { otherBranches }),
    ...(subagents.length > 0 && { subagents }),
  };
  return { index, entry, nextOffset: end < text.length ? end : undefined };
}
