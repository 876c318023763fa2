/** The models of the sample sessions, and their prices. */

export interface Model {
  id: string;
  provider: string;
  api: string;
  /** Dollars per million tokens. */
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

/** The models that sessions start with, weighted by popularity. */
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

/** Usage of one model response in pi's format: `context` tokens read from the cache, `fresh` input tokens, `output` tokens. */
export function getUsage({ price }: Model, context: number, fresh: number, output: number) {
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

/** An estimate of the tokens in a text: one per four letters, one per Chinese or Japanese character. */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g)?.length ?? 0;
  return Math.ceil(wide + (text.length - wide) / 4);
}
