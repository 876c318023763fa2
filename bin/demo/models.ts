/** The models of the demo, and what an answer of theirs costs. */

export interface Model {
  id: string;
  provider: string;
  api: string;
  /** Dollars for a million tokens. */
  price: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

const model = (
  provider: string,
  api: string,
  id: string,
  [input, output, cacheRead, cacheWrite]: [number, number, number, number],
): Model => ({ id, provider, api, price: { input, output, cacheRead, cacheWrite } });

export const MODELS = {
  sonnet: model("anthropic", "anthropic-messages", "claude-sonnet-4-5", [3, 15, 0.3, 3.75]),
  opus: model("anthropic", "anthropic-messages", "claude-opus-4-5", [5, 25, 0.5, 6.25]),
  haiku: model("anthropic", "anthropic-messages", "claude-haiku-4-5", [1, 5, 0.1, 1.25]),
  gpt: model("openai", "openai-responses", "gpt-5.2", [1.75, 14, 0.175, 0]),
  gemini: model("google", "google-generative-ai", "gemini-3-pro", [2, 12, 0.2, 0]),
  glm: model("zai", "openai-completions", "glm-4.7", [0.6, 2.2, 0.11, 0]),
};

export type ModelName = keyof typeof MODELS;

/** The models people begin with, the usual ones more often. */
export const FIRST_MODELS: readonly [ModelName, ...ModelName[]] = [
  "sonnet",
  "sonnet",
  "sonnet",
  "opus",
  "opus",
  "gpt",
  "gpt",
  "gemini",
  "glm",
  "haiku",
];

/** What an answer used, as pi writes it: `context` came from the cache, `fresh` was new, `output` was answered. */
export function usageOf({ price }: Model, context: number, fresh: number, output: number) {
  const writesCache = price.cacheWrite > 0;
  const input = writesCache ? 4 : fresh;
  const cacheWrite = writesCache ? fresh : 0;
  const cost = {
    input: (input * price.input) / 1e6,
    output: (output * price.output) / 1e6,
    cacheRead: (context * price.cacheRead) / 1e6,
    cacheWrite: (cacheWrite * price.cacheWrite) / 1e6,
  };
  const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  const totalTokens = input + output + context + cacheWrite;
  return { input, output, cacheRead: context, cacheWrite, totalTokens, cost: { ...cost, total } };
}

/** As providers count, nearly: four letters a token, one for a Chinese or Japanese character. */
export function tokensOf(text: string): number {
  const wide = text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g)?.length ?? 0;
  return Math.ceil(wide + (text.length - wide) / 4);
}
