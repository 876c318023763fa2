import { estimateTokens } from "./tokens.ts";

/** An item of an answer in both forms. */
interface Item {
  text: string;
  data: unknown;
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
  const fits = countFitting(all.items, tokens);
  return fits === all.items.length ? all : load(fits);
}

/** The number of leading items that fit into the budget in their longer form; at least one. */
function countFitting(items: readonly Item[], tokens: number): number {
  let tokensLeft = tokens;
  let fits = 0;
  for (const { text, data } of items) {
    tokensLeft -= Math.max(estimateTokens(text), estimateTokens(JSON.stringify(data)));
    if (tokensLeft < 0 && fits > 0) break;
    fits++;
  }
  return fits;
}
