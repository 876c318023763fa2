/** A model and its prices, in nano-dollars per token. */
export interface Model {
  api: string;
  provider: string;
  model: string;
  price: Tokens;
}

export const MODELS: readonly Model[] = [
  {
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    price: { input: 5000, output: 25_000, cacheRead: 500, cacheWrite: 6250 },
  },
  {
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    price: { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 },
  },
  {
    api: "openai-responses",
    provider: "openai",
    model: "gpt-5.2-codex",
    price: { input: 1750, output: 14_000, cacheRead: 175, cacheWrite: 0 },
  },
  {
    api: "google-generative-ai",
    provider: "google",
    model: "gemini-3-pro-preview",
    price: { input: 2000, output: 12_000, cacheRead: 200, cacheWrite: 0 },
  },
  {
    api: "openai-completions",
    provider: "ollama",
    model: "qwen3-coder:30b",
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  },
];

export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Tracks the tokens of one session's context, and generates the usage and cost of its requests. */
export class UsageGenerator {
  model: Model;
  /** Totals of all requests so far. */
  readonly spent: Tokens & { nanoDollars: number } = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    nanoDollars: 0,
  };
  /** Tokens of the context: initially the system prompt. */
  context = 6000;
  /** Tokens of the context that were not part of a request yet. */
  #uncached = 6000;

  constructor(model: Model) {
    this.model = model;
  }

  /** Adds text to the context. Very long outputs count as truncated, as the model gets them. */
  grow(characters: number): void {
    const tokens = Math.ceil(Math.min(characters, 50_000) / 4);
    this.context += tokens;
    this.#uncached += tokens;
  }

  /** After a compaction: system prompt, summary and a few messages. */
  shrink(): void {
    this.context = 20_000;
    this.#uncached = 14_000;
  }

  /** Counts a request, and returns the `usage` that pi writes for it. Tokens of earlier requests are read from the cache. */
  bill(output: number, input: number) {
    const tokens = { input, output, cacheRead: this.context - this.#uncached, cacheWrite: this.#uncached };
    this.#uncached = 0;
    const { price } = this.model;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    let nanoDollars = 0;
    let totalTokens = 0;
    for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      cost[kind] = (tokens[kind] * price[kind]) / 1e9;
      nanoDollars += tokens[kind] * price[kind];
      totalTokens += tokens[kind];
      this.spent[kind] += tokens[kind];
    }
    cost.total = nanoDollars / 1e9;
    this.spent.nanoDollars += nanoDollars;
    return { ...tokens, totalTokens, cost };
  }
}
