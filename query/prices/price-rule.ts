/** A price of a model, as a zod schema: in the table of the release, and in a user's `prices.toml`. */
import { z } from "zod";

const price = z.number().min(0).max(100_000);

/** US dollars per million tokens. */
const prices = {
  input: price.describe("US dollars per million tokens of input"),
  output: price.describe("the same for output, which includes reasoning"),
  cacheRead: price.optional().describe("for tokens read from the cache; default: as input"),
  cacheWrite: price.optional().describe("for tokens written to the cache; default: as input"),
  cacheWrite1h: price.optional().describe("for those cached for an hour; default: as cacheWrite"),
};

/** The day of a date in UTC, as text. */
const Day = z.string().refine((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)), {
  error: ({ input }) => `"${input}" is not a date; write it as 2026-01-31`,
});

export const PriceRule = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "name of a model, or provider/model; `*` stands for any characters, and case does not matter: `anthropic/claude-opus-5*`",
      ),
    from: Day.optional().describe("first day of the price, in UTC; default: always"),
    ...prices,
    above: z
      .array(z.strictObject({ tokens: z.int().min(1), ...prices }))
      .max(10)
      .optional()
      .describe("other prices for prompts of more than this many tokens, the cache included"),
  })
  .meta({ title: "Price" });
export type PriceRule = z.infer<typeof PriceRule>;

/** Prices that users give with a query: they precede those of the table. */
export const PriceRules = z.array(PriceRule).max(10_000);

/** Where a price comes from: pi's catalog of models, a maker's price list, free of charge, or the user's file. */
export const PRICE_SOURCES = ["catalog", "list", "free", "user"] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** A price with its origin. */
export const ListedPrice = PriceRule.extend({
  source: z
    .enum(PRICE_SOURCES)
    .describe(
      "`catalog`: pi's catalog of models, `list`: the maker's price list, `free`: costs nothing by the token, `user`: your prices.toml",
    ),
  recorded: z.string().optional().describe("day on which the release recorded the price"),
}).meta({ title: "Listed price" });
export type ListedPrice = z.infer<typeof ListedPrice>;
