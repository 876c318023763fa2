import { CONTEXT_BOUNDS, WITH_COST } from "../../src/store/context-class.ts";
import { BUCKET_MS, NO_TIME_BUCKET, SUM_INDEX, type SUMS, type Sums } from "../../src/store/schema.ts";
import type { NumberedPeriod, SumQuery, UsageSeries } from "../../src/store/usage-reads.ts";
import type { PriceBook } from "../prices/price-book.ts";
import type { ListedPrice } from "../prices/price-rule.ts";
import { priceTokens } from "../prices/price-tokens.ts";
import type { Estimate } from "./estimate.ts";
import type { UsageSelection } from "./resolve-filters.ts";

/** Prices sums of tokens for one breakdown: these are divided by model, size of prompt, and the times at which prices change. */
export class Estimator {
  readonly #book: PriceBook;
  readonly #models: UsageSelection["models"];
  /** A model and the size of prompts have a rate, by number from 1. */
  readonly #rates: { model: number; context: number }[] = [];
  readonly #rateNumbers = new Map<string, number>();
  readonly #parts: { period: number; epoch: number }[] = [];
  readonly #partNumbers = new Map<string, number>();
  readonly #found = new Map<string, ListedPrice | undefined>();

  constructor(book: PriceBook, models: UsageSelection["models"]) {
    this.#book = book;
    this.#models = models;
  }

  /** The rate of a series: 0 if its events have a cost or none to estimate. */
  rateOf({ model_id: model, context }: UsageSeries): number {
    if (context === WITH_COST) return 0;
    const key = `${model} ${context}`;
    const known = this.#rateNumbers.get(key);
    if (known !== undefined) return known;
    this.#rates.push({ model, context });
    this.#rateNumbers.set(key, this.#rates.length);
    return this.#rates.length;
  }

  /** Divides periods where prices change. The numbers of the parts are for `periodOf` and `price`. */
  divide(periodAt: SumQuery["periodAt"]): (quarter: number) => NumberedPeriod {
    const changes = this.#book.changes.map((moment) => moment / BUCKET_MS);
    return (quarter) => {
      const { period, until } = periodAt?.(quarter) ?? { period: 0, until: Number.POSITIVE_INFINITY };
      const next = changes.findIndex((change) => change > quarter);
      // Events without a time have the prices of today.
      const epoch = next === -1 || quarter === NO_TIME_BUCKET ? changes.length : next;
      const end = Math.min(until, (next === -1 ? undefined : changes[next]) ?? Number.POSITIVE_INFINITY);
      const key = `${period} ${epoch}`;
      let part = this.#partNumbers.get(key);
      if (part === undefined) {
        part = this.#parts.push({ period, epoch }) - 1;
        this.#partNumbers.set(key, part);
      }
      return { period: part, until: end };
    };
  }

  /** The period that a part belongs to. */
  periodOf(part: number): number {
    return (this.#parts[part] as { period: number }).period;
  }

  price(rate: number, part: number, sums: Sums): Estimate {
    const { model, context } = this.#rates[rate - 1] as { model: number; context: number };
    const price = this.#find(model, (this.#parts[part] as { epoch: number }).epoch);
    const of = (name: (typeof SUMS)[number]) => sums[SUM_INDEX[name]] as number;
    const tokens = {
      input: of("input"),
      output: of("output"),
      cacheRead: of("cache_read"),
      cacheWrite: of("cache_write"),
      cacheWrite1h: of("cache_write_1h"),
    };
    if (price)
      return { nanoUsd: priceTokens(price, tokens, CONTEXT_BOUNDS[context - 2] ?? 0), unpricedTokens: 0 };
    return {
      nanoUsd: 0,
      unpricedTokens: tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite,
    };
  }

  /** The name of the model of a rate: `provider/model`, null if none was recorded. */
  modelOf(rate: number): string | null {
    const model = this.#models.get((this.#rates[rate - 1] as { model: number }).model);
    return [model?.provider, model?.model].filter(Boolean).join("/") || null;
  }

  #find(modelId: number, epoch: number): ListedPrice | undefined {
    const key = `${modelId} ${epoch}`;
    if (this.#found.has(key)) return this.#found.get(key);
    const { provider = "", model = "" } = this.#models.get(modelId) ?? {};
    // The first moment of the epoch: prices are the same in all of it.
    const moment = this.#book.changes[epoch - 1] ?? Number.MIN_SAFE_INTEGER;
    const price = model === "" ? undefined : this.#book.find(provider, model, moment);
    this.#found.set(key, price);
    return price;
  }
}
