import { describe, expect, test } from "vitest";
import { toModelNames } from "../../../query/prices/normalize-model.ts";
import { createPriceBook } from "../../../query/prices/price-book.ts";
import { ListedPrice } from "../../../query/prices/price-rule.ts";
import { priceTokens } from "../../../query/prices/price-tokens.ts";

const NOW = Date.parse("2026-11-29");

describe("the prices of the release", () => {
  const book = createPriceBook();

  test("are valid, with the day and source of each", () => {
    for (const price of book.prices) {
      expect(() => ListedPrice.parse(price), price.model).not.toThrow();
      expect(price.recorded, price.model).toMatch(/^2026-/);
    }
    expect(book.prices.length).toBeGreaterThan(200);
  });

  test("name each model and day once", () => {
    const keys = book.prices.map(({ model, from }) => `${model} ${from}`);
    expect(keys.filter((key, n) => keys.indexOf(key) !== n)).toEqual([]);
  });

  test("apply to the names that providers have for a model", () => {
    for (const [provider, model] of [
      ["anthropic", "claude-sonnet-4-5"],
      ["anthropic", "claude-sonnet-4-5-20250929"],
      ["openrouter", "anthropic/claude-sonnet-4.5"],
      ["amazon-bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
      ["google-vertex", "claude-sonnet-4-5@20250929"],
      ["github-copilot", "claude-sonnet-4.5"],
    ] as const) {
      expect(book.find(provider, model, NOW)?.model, `${provider}/${model}`).toBe("claude-sonnet-4-5");
    }
    expect(book.find("openai-codex", "gpt-5.2-codex", NOW)?.model).toBe("gpt-5.2-codex");
    expect(book.find("", "gpt-5", NOW)?.model).toBe("gpt-5");
    expect(book.find("openai", "gpt-5-unheard-of", NOW)).toBeUndefined();
  });

  test("change on the first day of a new price", () => {
    const inputOn = (day: string) => book.find("deepseek", "deepseek-chat", Date.parse(day))?.input;
    expect(["2025-09-04T23:59:59Z", "2025-09-05", "2025-09-28", "2025-09-29"].map(inputOn)).toEqual([
      0.27, 0.56, 0.56, 0.28,
    ]);
  });

  test("are nothing for models on one's own computer, whatever their names", () => {
    expect(book.find("ollama", "deepseek-chat", NOW)).toMatchObject({ input: 0, output: 0, source: "free" });
    expect(book.find("openrouter", "moonshotai/kimi-k2.5:free", NOW)).toMatchObject({ input: 0 });
  });
});

describe("a user's prices", () => {
  const find = (rules: { model: string; from?: string; input: number }[], provider: string, model: string) =>
    createPriceBook(rules.map((rule) => ({ output: 0, ...rule }))).find(provider, model, NOW)?.input;

  test("precede those of the release, a provider's those of any, longer patterns shorter ones", () => {
    const rules = [
      { model: "*", input: 1 },
      { model: "claude-*", input: 2 },
      { model: "claude-opus-5", input: 3 },
      { model: "work/*", input: 4 },
      { model: "Work/Claude-*-5", input: 5 },
    ];
    expect(find(rules, "any", "unheard-of")).toBe(1);
    expect(find(rules, "anthropic", "claude-haiku-4-5")).toBe(2);
    expect(find(rules, "anthropic", "claude-opus-5")).toBe(3);
    expect(find(rules, "work", "gpt-5")).toBe(4);
    expect(find(rules, "work", "claude-opus-5")).toBe(5);
    expect(find(rules, "work", "claude-opus-5x")).toBe(4);
  });

  test("hold from their first day on", () => {
    expect(find([{ model: "gpt-5", input: 7, from: "2026-11-29" }], "openai", "gpt-5")).toBe(7);
    expect(find([{ model: "gpt-5", input: 7, from: "2026-11-30" }], "openai", "gpt-5")).toBe(1.25);
  });

  test("with several stars match in linear time, each part in order", () => {
    const rules = [{ model: "a*b*c", input: 1 }];
    expect(["abc", "axbyc", "acb", "abcb", "ab", "aXbXc"].map((model) => find(rules, "", model))).toEqual([
      1,
      1,
      undefined,
      undefined,
      undefined,
      1,
    ]);
    const slow = `${"a*".repeat(90)}b`;
    expect(find([{ model: slow, input: 1 }], "", "a".repeat(100_000))).toBeUndefined();
  });
});

test("tokens cost what the rule says: the cache as input without its own price, long prompts theirs", () => {
  const tokens = { input: 1_000_000, output: 1e6, cacheRead: 1e6, cacheWrite: 3e6, cacheWrite1h: 1e6 };
  const usd = (rule: object, minPrompt = 0) =>
    priceTokens({ model: "m", input: 2, output: 10, ...rule }, tokens, minPrompt) / 1e9;
  expect(usd({})).toBe(2 + 10 + 2 + 6);
  expect(usd({ cacheRead: 0.2, cacheWrite: 2.5 })).toBeCloseTo(2 + 10 + 0.2 + 7.5, 9);
  expect(usd({ cacheRead: 0.2, cacheWrite: 2.5, cacheWrite1h: 4 })).toBeCloseTo(2 + 10 + 0.2 + 5 + 4, 9);
  const above = [
    { tokens: 32_000, input: 4, output: 20 },
    { tokens: 200_000, input: 8, output: 40 },
  ];
  expect([0, 31_999, 32_000, 199_999, 200_000].map((prompt) => usd({ above }, prompt))).toEqual([
    20, 20, 40, 40, 80,
  ]);
});

test("names of models are shortened step by step", () => {
  expect(toModelNames("Anthropic/Claude-3.5-Sonnet:beta").at(-1)).toBe("claude-3-5-sonnet");
  expect(toModelNames("gemini-3-pro-preview")).toEqual(["gemini-3-pro-preview", "gemini-3-pro"]);
  expect(toModelNames("gpt-5")).toEqual(["gpt-5"]);
});
