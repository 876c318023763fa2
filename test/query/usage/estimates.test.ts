import fc from "fast-check";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { PriceRule } from "../../../library/index.ts";
import { collect, indexed } from "../opened-queries.ts";

const PRICES: PriceRule[] = [
  { model: "steady", input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
  { model: "changing", input: 1, output: 1 },
  { model: "changing", from: "2026-01-02", input: 100, output: 100 },
  { model: "long", input: 1, output: 1, above: [{ tokens: 200_000, input: 5, output: 5 }] },
];
const asked = { estimates: true, prices: PRICES, timeZone: "UTC" };

interface Response {
  model: string;
  at: string;
  input: number;
  output?: number;
  cost?: number;
}

const talk = (responses: readonly Response[], id = "talk") => {
  const talk = session({ id, cwd: "/home/ada/shop", timestamp: "2026-01-01T00:00:00.000Z" }).user("Hello.");
  for (const { model, at, input, output = 0, cost } of responses) {
    const usage = {
      input,
      output,
      cacheRead: 0,
      cacheWrite: 0,
      ...(cost !== undefined && { cost: { total: cost } }),
    };
    talk.assistant("Done.", { usage, model, provider: "work", timestamp: at });
  }
  return talk;
};

test("only events without a recorded cost are estimated, and never counted as cost", async () => {
  const day = "2026-01-01T10:00:00.000Z";
  const { index } = await indexed(
    talk([
      { model: "steady", at: day, input: 1_000_000, cost: 3 },
      { model: "steady", at: day, input: 2_000_000, output: 1_000_000 },
      { model: "steady", at: day, input: 500_000, cost: 0 },
      { model: "unheard-of", at: day, input: 7 },
    ]),
  );
  const { total, rows, unpricedModels } = await index.usage({ ...asked, by: ["model"] });
  expect(total).toMatchObject({ costUsd: 3, estimatedUsd: 12.5, unpricedTokens: 7 });
  expect(rows.map(({ key, costUsd, estimatedUsd }) => [key.model, costUsd, estimatedUsd])).toEqual([
    ["work/steady", 3, 12.5],
    ["work/unheard-of", 0, 0],
  ]);
  expect(unpricedModels).toEqual([{ model: "work/unheard-of", tokens: 7 }]);
  const without = await index.usage({ by: ["model"] });
  expect(without.total.estimatedUsd).toBeUndefined();
  expect(without.unpricedModels).toBeUndefined();
  const { own, byModel } = await index.spend("talk", { estimates: true, prices: PRICES });
  expect(own).toMatchObject({ costUsd: 3, estimatedUsd: 12.5, unpricedTokens: 7 });
  expect(byModel[0]?.estimatedUsd).toBe(12.5);
});

test("an event has the price of its day, whatever periods are asked for", async () => {
  const { index } = await indexed(
    talk([
      { model: "changing", at: "2026-01-01T23:59:59.999Z", input: 1_000_000 },
      { model: "changing", at: "2026-01-02T00:00:00.000Z", input: 1_000_000 },
    ]),
  );
  for (const by of [[], ["month"], ["day"], ["hour", "model"], ["weekday"], ["session"]] as const) {
    const { total } = await index.usage({ ...asked, by: [...by] });
    expect(total.estimatedUsd, by.join()).toBe(101);
  }
  const { rows } = await index.usage({ ...asked, by: ["day"] });
  expect(rows.map(({ estimatedUsd }) => estimatedUsd)).toEqual([1, 100]);
  const edge = { since: "2026-01-01T23:59:59.999Z", until: "2026-01-02T00:00:00.000Z" };
  expect((await index.usage({ ...asked, ...edge })).total.estimatedUsd).toBe(1);
});

test("long prompts have their own price", async () => {
  const at = "2026-01-01T10:00:00.000Z";
  const { index } = await indexed(
    talk([
      { model: "long", at, input: 200_000 },
      { model: "long", at, input: 200_001 },
    ]),
  );
  expect((await index.usage(asked)).total.estimatedUsd).toBeCloseTo(0.2 + 1.000005, 9);
});

test("the rows of every breakdown add up to the estimate of the single events", async () => {
  const response = fc.record({
    model: fc.constantFrom("steady", "changing", "long", "unheard-of"),
    at: fc
      .integer({ min: Date.parse("2026-01-01T22:00Z"), max: Date.parse("2026-01-02T02:00Z") })
      .map((time) => new Date(time).toISOString()),
    input: fc.integer({ min: 0, max: 400_000 }),
    output: fc.integer({ min: 0, max: 1000 }),
    cost: fc.constantFrom(undefined, 0, 2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(response, { minLength: 1, maxLength: 12 }), async (responses) => {
      const { index } = await indexed(talk(responses.slice(0, 6), "a"), talk(responses.slice(6), "b"));
      let expected = 0;
      for (const { model, costNanoUsd, tokens, time = "" } of await collect(index.usageEvents())) {
        const rule = PRICES.filter((each) => each.model === model && (each.from ?? "") <= time).at(-1);
        if (costNanoUsd > 0 || !rule) continue;
        const { input, output } = tokens.input > 200_000 ? (rule.above?.[0] ?? rule) : rule;
        expected += (tokens.input * input + tokens.output * output) / 1e6;
      }
      for (const by of [[], ["model"], ["hour"], ["session", "day"]] as const) {
        const { rows, total } = await index.usage({ ...asked, by: [...by] });
        expect(total.estimatedUsd).toBeCloseTo(expected, 6);
        if (by.length === 0) continue;
        expect(rows.reduce((sum, { estimatedUsd = 0 }) => sum + estimatedUsd, 0)).toBeCloseTo(expected, 6);
      }
      await index.close();
    }),
    { numRuns: 15 },
  );
});
