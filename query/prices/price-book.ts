import { toModelNames } from "./normalize-model.ts";
import type { ListedPrice, PriceRule } from "./price-rule.ts";
import { PRICE_TABLE, type PriceRow } from "./price-table.ts";

/** Prices of the release and of a user, by model and time. */
export interface PriceBook {
  /** The user's, then those of the release. */
  readonly prices: readonly ListedPrice[];
  /** The moments at which some price changes, in Unix milliseconds, ascending. */
  readonly changes: readonly number[];
  /**
   * The price of a model at a time, in Unix milliseconds; undefined if none is known. A user's prices precede those of the release, a
   * provider's those of any provider, and longer patterns shorter ones. Names are compared as `toModelNames` has them.
   */
  find(provider: string, model: string, time: number): ListedPrice | undefined;
}

/** Joins the prices of the release with a user's, which precede them. */
export function createPriceBook(userPrices: readonly PriceRule[] = []): PriceBook {
  const own = userPrices.map((rule): ListedPrice => ({ ...rule, source: "user" }));
  const released = PRICE_TABLE.flatMap(({ source, recorded, rows }) =>
    rows.map((row): ListedPrice => ({ ...toRule(row), source, recorded })),
  );
  const origins = [own, released].map((prices) => prices.map(toMatcher).sort(bySpecificity));
  const changes = [...own, ...released].flatMap(({ from }) => (from === undefined ? [] : Date.parse(from)));
  return {
    prices: [...own, ...released],
    changes: [...new Set(changes)].sort((a, b) => a - b),
    find(provider, model, time) {
      const names = toModelNames(model);
      for (const matchers of origins) {
        for (const name of names) {
          const found = matchers.find(
            ({ since, matches }) => since <= time && matches(provider.toLowerCase(), name),
          );
          if (found) return found.price;
        }
      }
      return undefined;
    },
  };
}

function toRule([model, prices, { from, above } = {}]: PriceRow): PriceRule {
  return {
    model,
    ...(from !== undefined && { from }),
    ...nameAll(prices),
    ...(above && { above: above.map(([tokens, ...prices]) => ({ tokens, ...nameAll(prices) })) }),
  };
}

function nameAll([input, output, cacheRead, cacheWrite, cacheWrite1h]: PriceRow[1]) {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
  };
}

interface Matcher {
  price: ListedPrice;
  /** Unix milliseconds. */
  since: number;
  specificity: number;
  matches: (provider: string, model: string) => boolean;
}

function toMatcher(price: ListedPrice): Matcher {
  const pattern = price.model.toLowerCase();
  const since = price.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(price.from);
  const isExact = !pattern.includes("*");
  const test = isExact ? (text: string) => text === pattern : matchesPattern(pattern);
  const ofProvider = pattern.includes("/");
  return {
    price,
    since,
    // An exact name precedes all patterns.
    specificity: (ofProvider ? 1e6 : 0) + (isExact ? 1e3 : 0) + pattern.replaceAll("*", "").length,
    matches: ofProvider ? (provider, model) => test(`${provider}/${model}`) : (_, model) => test(model),
  };
}

/** Compares with the parts between the `*`, in order: no pattern takes more than linear time. */
function matchesPattern(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

/** Most specific first; of one pattern, the latest first. */
function bySpecificity(a: Matcher, b: Matcher): number {
  return b.specificity - a.specificity || (a.since === b.since ? 0 : b.since - a.since);
}
