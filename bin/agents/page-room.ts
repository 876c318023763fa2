/** The room of a page: what of an entry is told in it. */
import type { ReadEntry } from "./answers.ts";
import type { Placed } from "./branch-entries.ts";
import { cursorGone } from "./page-end.ts";
import { costOf } from "./page-text.ts";
import { charactersFor, tokensIn } from "./tokens.ts";
import { timeIn } from "./told.ts";

/** Of a page, how much one entry may take that is not the one asked for: the rest of it can be asked for. */
export const MOST_OF_PAGE = 0.4;
/** However little is asked for, so much is told of an entry. */
const LEAST = 30;
/** Of a page, what is too little to begin another entry in, unless all of that fits. */
const LITTLE = 0.1;
/** So little is not left out, of one letter each at the worst. */
const FEW_TOKENS = 15;

/** An entry that is told, and where it stands on its branch. */
export interface Told {
  at: number;
  entry: ReadEntry;
  /** Where its text goes on, if that was cut behind its beginning. */
  rest?: number;
}

export class PageRoom {
  readonly #maxTokens: number;
  readonly #path: string;
  /** Tokens that are left. */
  left: number;

  /** @param path of the session: entries without an id are asked for by it */
  constructor(maxTokens: number, left: number, path: string) {
    this.#maxTokens = maxTokens;
    this.left = Math.max(left, 2 * LEAST);
    this.#path = path;
  }

  /**
   * An entry, if there is room; one that must be told always gets some.
   *
   * @param share how much of the page it may take
   * @param told how many characters of its text were told before
   * @throws PidexError `BAD_CURSOR` where there is no more to be told
   */
  fit(placed: Placed, share: number, told = 0, must = share === 1): Told | "nothing" | undefined {
    if (told > 0 && told >= placed.text.length) throw cursorGone();
    if (placed.text === "") return "nothing";
    const path = this.#path;
    const bare = costOf(toldOf(placed, told, 0).entry, path);
    const whole = Math.min(this.left - bare, this.#maxTokens * share);
    const needed = tokensIn(placed.text.slice(told));
    const isTooLittle = whole < Math.min(needed, this.#maxTokens * LITTLE);
    if (!must && isTooLittle) return undefined;
    let tokens = Math.max(whole, LEAST);
    let fitted = toldOf(placed, told, tokens);
    // As a quotation or as JSON a text may take more than it does as it is: each line has a mark, signs stand for signs.
    for (
      let cost = costOf(fitted.entry, path);
      cost > bare + whole && tokens > LEAST;
      cost = costOf(fitted.entry, path)
    ) {
      tokens = Math.max(LEAST, (tokens * 0.9 * whole) / (cost - bare));
      fitted = toldOf(placed, told, tokens);
    }
    this.left -= costOf(fitted.entry, path);
    return fitted;
  }
}

/** An entry with as much of its text, from one character on, as so many tokens hold. */
function toldOf({ at, who, text, place, instead, subagents }: Placed, from: number, tokens: number): Told {
  const most = charactersFor(text, from, Math.floor(tokens));
  // To say that a few letters are left out takes more than they do.
  const isNearlyAll = text.length - from - most <= FEW_TOKENS && tokens > 0;
  const end = isNearlyAll ? text.length : from + most;
  const left = text.length - (end - from);
  const timestamp = timeIn(place.entry.timestamp);
  const entry: ReadEntry = {
    entryId: place.entry.id ?? null,
    line: place.line,
    who,
    ...(timestamp !== undefined && { timestamp }),
    text: text.slice(from, end),
    ...(left > 0 && { left_out: left }),
    ...(instead.length > 0 && { instead }),
    ...(subagents.length > 0 && { subagents }),
  };
  return { at, entry, ...(end < text.length && { rest: end }) };
}
