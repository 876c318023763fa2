import { estimateTokens } from "./tokens.ts";

/** An item of an answer in both forms. */
interface Item {
  text: string;
  data: unknown;
}

/** The tokens of an item in the longer of its two forms. */
export function countTokens(text: string, data: unknown): number {
  return Math.max(estimateTokens(text), estimateTokens(JSON.stringify(data)));
}

/**
 * Returns as many items as fit into the token budget, at least one. If not all fit, loads again with a lower limit, so that
 * the cursor continues after the last item that is returned.
 *
 * @param load loads and renders at most `limit` items
 */
export async function fitToBudget<T extends { items: readonly Item[] }>(
  limit: number,
  tokens: number,
  load: (limit: number) => Promise<T>,
): Promise<T> {
  const all = await load(limit);
  const sized = all.items.map(({ text, data }) => ({ tokens: countTokens(text, data) }));
  const { taken } = await takeFitting(sized, tokens);
  return taken.length === all.items.length ? all : load(taken.length);
}

/** Takes items while they fit into the token budget, at least one. @returns the first that does not fit, if any, as `next` */
export async function takeFitting<T extends { tokens: number }>(
  items: Iterable<T> | AsyncIterable<T>,
  tokens: number,
): Promise<{ taken: T[]; next?: T }> {
  const taken: T[] = [];
  let tokensLeft = tokens;
  for await (const item of items) {
    tokensLeft -= item.tokens;
    if (tokensLeft < 0 && taken.length > 0) return { taken, next: item };
    taken.push(item);
  }
  return { taken };
}
