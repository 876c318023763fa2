import { tokensIn } from "./tokens.ts";

/** A part of an answer in both its forms. */
interface Told {
  text: string;
  data: unknown;
}

/**
 * As many parts as so many tokens have room for, one at least. Where not all do they are asked for again, and fewer: a cursor
 * goes on behind what was asked for, so what does not fit must not be.
 *
 * @param tell asks for so many parts, and tells them
 */
export async function asManyAsFit<T extends { told: readonly Told[] }>(
  limit: number,
  tokens: number,
  tell: (limit: number) => Promise<T>,
): Promise<T> {
  const all = await tell(limit);
  const fits = howMany(all.told, tokens);
  return fits === all.told.length ? all : tell(fits);
}

/** How many of some parts, in order, fit into so many tokens, whichever form of them is taken; one always does. */
function howMany(told: readonly Told[], tokens: number): number {
  let left = tokens;
  let fits = 0;
  for (const { text, data } of told) {
    left -= Math.max(tokensIn(text), tokensIn(JSON.stringify(data)));
    if (left < 0 && fits > 0) break;
    fits++;
  }
  return fits;
}
