/** Shares a token budget among statements. */
import { countFittingCharacters, estimateTokens } from "./tokens.ts";

/** A text with the tokens it takes whole. */
interface Demand {
  tokens: number;
  /** How much it counts beside others; 1 by default. */
  weight: number;
}

/**
 * The largest level at which all demands together fit, if each gets at most the level times its weight: short ones are met in full, and long
 * ones are cut alike.
 */
export function findLevel(demands: readonly Demand[], budget: number): number {
  let left = budget;
  let weights = demands.reduce((sum, { weight }) => sum + weight, 0);
  for (const { tokens, weight } of demands.toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight)) {
    if (tokens / weight > left / weights) return left / weights;
    left -= tokens;
    weights -= weight;
  }
  return Number.POSITIVE_INFINITY;
}

/** A text that is only this much longer is not cut: the mark in the middle takes room, too. */
const NEARLY = 1.2;

/** A text cut to some tokens: its start and its end, because people put what they want at either. */
export function cutMiddle(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens * NEARLY) return text;
  const room = Math.max(4, tokens - 2);
  const start = text.slice(0, countFittingCharacters(text, 0, room * 0.65)).replace(/\s+\S*$/, "");
  const from = text.length - Math.floor(start.length * 0.5);
  let end = /^\S*\s+(\S.*)$/s.exec(text.slice(Math.max(start.length, from)))?.[1] ?? "";
  while (end !== "" && estimateTokens(`${start} … ${end}`) > tokens)
    end = end.includes(" ") ? end.replace(/^\S*\s*/, "") : "";
  return end === "" ? `${start.toWellFormed()} …` : `${start.toWellFormed()} … ${end.toWellFormed()}`;
}

/**
 * Up to `count` of the items, spread over all of them: the first, the last, and of each stretch in between the one that counts most.
 *
 * @param value how much an item counts
 */
export function spread<T>(items: readonly T[], count: number, value: (item: T) => number): T[] {
  if (items.length <= count) return [...items];
  const chosen: T[] = [];
  for (let n = 0; n < count; n++) {
    const stretch = items.slice(
      Math.floor((n * items.length) / count),
      Math.floor(((n + 1) * items.length) / count),
    );
    const edge = n === 0 ? stretch[0] : n === count - 1 ? stretch.at(-1) : undefined;
    const best = edge ?? stretch.reduce((a, b) => (value(b) > value(a) ? b : a));
    chosen.push(best as T);
  }
  return chosen;
}
