import { zeroSums } from "../../src/store/schema.ts";
import type { SumTarget, UsageReads } from "../../src/store/usage-reads.ts";
import { createPriceBook } from "../prices/price-book.ts";
import type { PriceRule } from "../prices/price-rule.ts";
import { Estimator } from "./estimator.ts";
import { type Priced, PricedGroups } from "./priced-groups.ts";

/** The part of the ledger that is added up. Times are Unix milliseconds. */
export interface SumSelection {
  files?: ReadonlySet<number> | undefined;
  subagents: ReadonlySet<number>;
  since?: number | undefined;
  until?: number | undefined;
}

/** Returns a function that adds up a part of the ledger, with an estimate of what has no cost. */
export async function createPricedSum(
  reads: UsageReads,
  prices: readonly PriceRule[] | undefined,
): Promise<(selection: SumSelection) => Promise<Priced>> {
  const book = createPriceBook(prices);
  const models = new Map((await reads.models()).map(({ id, ...model }) => [id, model]));
  return async (selection) => {
    const estimator = new Estimator(book, models);
    const total: Priced = { sums: zeroSums() };
    const priced = new PricedGroups(estimator, () => total);
    const byRate: SumTarget[] = [];
    await reads.sum({
      ...selection,
      isBySeries: true,
      periodAt: estimator.divide(undefined),
      target: () => (series) => {
        const rate = estimator.rateOf(series);
        byRate[rate] ??= priced.createTarget(0, undefined, rate);
        return byRate[rate];
      },
    });
    priced.addUp();
    return total;
  };
}
