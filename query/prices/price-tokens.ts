import type { PriceRule } from "./price-rule.ts";

/** Numbers of tokens; `cacheWrite` includes `cacheWrite1h`. */
export interface PricedTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

/**
 * The price of tokens, in nano-dollars, not rounded.
 *
 * @param minPrompt the prompts of the tokens have more tokens than this: selects the price of long ones
 */
export function priceTokens(rule: PriceRule, tokens: PricedTokens, minPrompt: number): number {
  const above = (rule.above ?? []).filter((tier) => tier.tokens <= minPrompt);
  const prices = above.reduce<Omit<PriceRule, "model">>(
    (a, b) => ("tokens" in a && Number(a.tokens) > b.tokens ? a : b),
    rule,
  );
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = prices;
  const dollarsPerMillion =
    tokens.input * input +
    tokens.output * output +
    tokens.cacheRead * cacheRead +
    (tokens.cacheWrite - tokens.cacheWrite1h) * cacheWrite +
    tokens.cacheWrite1h * cacheWrite1h;
  return dollarsPerMillion * 1000;
}
