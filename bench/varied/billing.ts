import type { Random } from "../random.ts";

interface Offer {
  api: string;
  provider: string;
  models: readonly string[];
  /** Nano-dollars per token of input and output. */
  input: number;
  output: number;
}

const OFFERS: readonly Offer[] = [
  {
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    models: ["us.anthropic.claude-haiku-4-5-20251001-v1:0"],
    input: 1000,
    output: 5000,
  },
  {
    api: "openai-completions",
    provider: "openrouter",
    models: ["moonshotai/kimi-k2", "z-ai/glm-4.6", "deepseek/deepseek-v3.2-exp"],
    input: 553,
    output: 2217,
  },
  {
    api: "mistral-conversations",
    provider: "mistral",
    models: ["devstral-medium-latest"],
    input: 400,
    output: 2000,
  },
  {
    api: "openai-completions",
    provider: "groq",
    models: ["openai/gpt-oss-120b", "qwen/qwen3-32b"],
    input: 151,
    output: 751,
  },
  {
    api: "openai-codex-responses",
    provider: "openai-codex",
    models: ["gpt-5.1-codex-max"],
    input: 0,
    output: 0,
  },
  { api: "google-vertex", provider: "google-vertex", models: ["gemini-2.5-flash"], input: 301, output: 2503 },
  {
    api: "openai-completions",
    provider: "lmstudio",
    models: ["local/granite-4-h-small"],
    input: 0,
    output: 0,
  },
];

export interface ModelName {
  api: string;
  provider: string;
  model: string;
}

/** Bills the requests of one session to models that change while it is written. */
export class Billing {
  /** Cost of all requests so far. */
  nanoDollars = 0;
  readonly tokens = { input: 0, output: 0 };
  readonly #random: Random;
  #offer: Offer;
  #model: string;

  constructor(random: Random) {
    this.#random = random;
    this.#offer = random.pick(OFFERS);
    this.#model = random.pick(this.#offer.models);
  }

  get model(): ModelName {
    const { api, provider } = this.#offer;
    return { api, provider, model: this.#model };
  }

  switchModel(): ModelName {
    this.#offer = this.#random.pick(OFFERS);
    this.#model = this.#random.pick(this.#offer.models);
    return this.model;
  }

  /** The `usage` of a request. Some providers cache nothing, and some report the total themselves. */
  bill(outputTokens: number) {
    const random = this.#random;
    const input = random.between(3, 90_000);
    const cacheRead = random.chance(0.4) ? random.below(150_000) : 0;
    const reasoning = random.chance(0.3) ? Math.floor(outputTokens / 2) : undefined;
    const price = this.#offer;
    // A tenth of the price of input, rounded down, so that costs are whole nano-dollars.
    const nano = {
      input: input * price.input,
      output: outputTokens * price.output,
      cacheRead: cacheRead * Math.floor(price.input / 10),
    };
    const total = nano.input + nano.output + nano.cacheRead;
    this.nanoDollars += total;
    this.tokens.input += input + cacheRead;
    this.tokens.output += outputTokens;
    return {
      input,
      output: outputTokens,
      cacheRead,
      cacheWrite: 0,
      ...(reasoning !== undefined && { reasoning }),
      totalTokens: input + outputTokens + cacheRead,
      cost: {
        input: nano.input / 1e9,
        output: nano.output / 1e9,
        cacheRead: nano.cacheRead / 1e9,
        cacheWrite: 0,
        total: total / 1e9,
        ...(price.provider === "openrouter" && { totalFromProvider: total / 1e9 }),
      },
    };
  }
}
