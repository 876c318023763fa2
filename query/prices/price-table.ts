/**
 * Published prices, in US dollars per million tokens. They estimate what events without a recorded cost would have cost, and are never
 * part of a cost. Data: a release changes them, nothing is fetched.
 */
import type { PriceSource } from "./price-rule.ts";

/** Input, output, cache reads, cache writes, and cache writes that last an hour. Without a price of its own, the cache costs what input costs. */
type Prices = readonly [
  input: number,
  output: number,
  cacheRead?: number,
  cacheWrite?: number,
  cacheWrite1h?: number,
];

interface Details {
  /** The first day of the prices, in UTC. Rows of the same model without it hold for the days before. */
  from?: string;
  /** Other prices for prompts of more than this many tokens. */
  above?: readonly (readonly [tokens: number, ...prices: Prices])[];
}

/** A model, by its name at its maker: `toModelNames` finds it under the names that other providers use. */
export type PriceRow = readonly [model: string, prices: Prices, details?: Details];

/**
 * Models in the catalog of pi 1.6.0 or an earlier one (0.40, 0.70, 0.87), from which a `from` of 2026 is the day of the first catalog with
 * the price. Prices of long prompts are those of the makers' lists where the catalog has none.
 */
const CATALOG: readonly PriceRow[] = [
  // Anthropic
  ["claude-3-5-haiku", [0.8, 4, 0.08, 1, 1.6]],
  ["claude-3-5-sonnet", [3, 15, 0.3, 3.75, 6]],
  ["claude-3-7-sonnet", [3, 15, 0.3, 3.75, 6]],
  ["claude-3-haiku", [0.25, 1.25, 0.03, 0.3125, 0.5]],
  ["claude-3-opus", [15, 75, 1.5, 18.75, 30]],
  ["claude-3-sonnet", [3, 15, 0.3, 3.75, 6]],
  ["claude-fable-5", [10, 50, 1, 12.5, 20]],
  ["claude-fable-5-1", [10, 50, 0.25, 12.5, 20]],
  ["claude-fable-5-2", [8, 40, 0.2, 10, 16]],
  ["claude-haiku-4-5", [1, 5, 0.1, 1.25, 2]],
  ["claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125, 0.2], { above: [[100_000, 0.5, 2.5, 0.05, 0.625, 1]] }],
  ["claude-opus-4", [15, 75, 1.5, 18.75, 30]],
  ["claude-opus-4-0", [15, 75, 1.5, 18.75, 30]],
  ["claude-opus-4-1", [15, 75, 1.5, 18.75, 30]],
  ["claude-opus-4-5", [5, 25, 0.5, 6.25, 10]],
  ["claude-opus-4-6", [5, 25, 0.5, 6.25, 10]],
  ["claude-opus-4-7", [5, 25, 0.5, 6.25, 10]],
  ["claude-opus-4-8", [5, 25, 0.5, 6.25, 10]],
  ["claude-opus-5", [5, 25, 0.5, 6.25, 10]],
  ["claude-opus-5-5", [4, 20, 0.2, 5, 8]],
  ["claude-sonnet-4", [3, 15, 0.3, 3.75, 6], { above: [[200_000, 6, 22.5, 0.6, 7.5, 12]] }],
  ["claude-sonnet-4-0", [3, 15, 0.3, 3.75, 6], { above: [[200_000, 6, 22.5, 0.6, 7.5, 12]] }],
  ["claude-sonnet-4-5", [3, 15, 0.3, 3.75, 6], { above: [[200_000, 6, 22.5, 0.6, 7.5, 12]] }],
  ["claude-sonnet-4-6", [3, 15, 0.3, 3.75, 6]],
  ["claude-sonnet-5", [2, 10, 0.2, 2.5, 4]],
  ["claude-sonnet-5-5", [2, 10, 0.1, 2.5, 4]],
  // OpenAI
  ["codex-mini-latest", [1.5, 6, 0.375]],
  ["gpt-4-turbo", [10, 30]],
  ["gpt-4.1", [2, 8, 0.5]],
  ["gpt-4.1-mini", [0.4, 1.6, 0.1]],
  ["gpt-4.1-nano", [0.1, 0.4, 0.025]],
  ["gpt-4o", [2.5, 10, 1.25]],
  ["gpt-4o-mini", [0.15, 0.6, 0.075]],
  ["gpt-5", [1.25, 10, 0.125]],
  ["gpt-5-codex", [1.25, 10, 0.125]],
  ["gpt-5-mini", [0.25, 2, 0.025]],
  ["gpt-5-nano", [0.05, 0.4, 0.005]],
  ["gpt-5-pro", [15, 120]],
  ["gpt-5.1", [1.25, 10, 0.125]],
  ["gpt-5.1-codex", [1.25, 10, 0.125]],
  ["gpt-5.1-codex-max", [1.25, 10, 0.125]],
  ["gpt-5.1-codex-mini", [0.25, 2, 0.025]],
  ["gpt-5.2", [1.75, 14, 0.175]],
  ["gpt-5.2-codex", [1.75, 14, 0.175]],
  ["gpt-5.2-pro", [21, 168]],
  ["gpt-5.3-codex", [1.75, 14, 0.175]],
  ["gpt-5.3-codex-spark", [1.75, 14, 0.175]],
  ["gpt-5.4", [2.5, 15, 0.25], { above: [[272_000, 5, 22.5, 0.5]] }],
  ["gpt-5.4-mini", [0.75, 4.5, 0.075]],
  ["gpt-5.4-nano", [0.2, 1.25, 0.02]],
  ["gpt-5.4-pro", [30, 180], { above: [[272_000, 60, 270]] }],
  ["gpt-5.5", [5, 30, 0.5], { above: [[272_000, 10, 45, 1]] }],
  ["gpt-5.5-pro", [30, 180], { above: [[272_000, 60, 270]] }],
  ["gpt-5.6-luna", [0.2, 1.2, 0.02, 0.25], { above: [[272_000, 0.4, 1.8, 0.04, 0.5]] }],
  ["gpt-5.6-sol", [4, 20, 0.4, 5], { above: [[272_000, 8, 30, 0.8, 10]] }],
  ["gpt-5.6-terra", [2, 12, 0.2, 2.5], { above: [[272_000, 4, 18, 0.4, 5]] }],
  ["gpt-6-astra", [10, 50, 1, 12.5], { above: [[272_000, 20, 75, 2, 25]] }],
  ["gpt-6-luna", [0.1, 0.5, 0.01, 0.125], { above: [[272_000, 0.2, 0.75, 0.02, 0.25]] }],
  ["gpt-6-sol", [2, 10, 0.2, 2.5], { above: [[272_000, 4, 15, 0.4, 5]] }],
  ["gpt-6.1-sol", [2, 10, 0.1, 2.5], { above: [[272_000, 4, 15, 0.2, 5]] }],
  ["gpt-6.1-terra", [1, 5, 0.05, 1.25], { above: [[272_000, 2, 7.5, 0.1, 2.5]] }],
  ["gpt-6.2-astra", [8, 40, 0.4, 10], { above: [[272_000, 16, 60, 0.8, 20]] }],
  ["gpt-6.2-sol", [2, 10, 0.1, 2.5], { above: [[272_000, 4, 15, 0.2, 5]] }],
  ["o1", [15, 60, 7.5]],
  ["o1-pro", [150, 600]],
  ["o3", [10, 40, 2.5]],
  ["o3", [2, 8, 0.5], { from: "2025-06-10" }],
  ["o3-mini", [1.1, 4.4, 0.55]],
  ["o3-pro", [20, 80]],
  ["o4-mini", [1.1, 4.4, 0.275]],
  // Google
  ["gemini-1.5-flash", [0.075, 0.3, 0.01875], { above: [[128_000, 0.15, 0.6, 0.0375]] }],
  ["gemini-1.5-flash-8b", [0.0375, 0.15, 0.01]],
  ["gemini-1.5-pro", [1.25, 5, 0.3125], { above: [[128_000, 2.5, 10, 0.625]] }],
  ["gemini-2.0-flash", [0.1, 0.4, 0.025]],
  ["gemini-2.0-flash-lite", [0.075, 0.3]],
  ["gemini-2.5-flash", [0.3, 2.5, 0.03]],
  ["gemini-2.5-flash-lite", [0.1, 0.4, 0.01]],
  ["gemini-2.5-flash-lite-preview-06-17", [0.1, 0.4, 0.025]],
  ["gemini-2.5-flash-lite-preview-09-2025", [0.1, 0.4, 0.025]],
  ["gemini-2.5-flash-preview-04-17", [0.15, 0.6, 0.0375]],
  ["gemini-2.5-flash-preview-05-20", [0.15, 0.6, 0.0375]],
  ["gemini-2.5-flash-preview-09-2025", [0.3, 2.5, 0.075]],
  ["gemini-2.5-pro", [1.25, 10, 0.125], { above: [[200_000, 2.5, 15, 0.25]] }],
  ["gemini-2.5-pro-preview-05-06", [1.25, 10, 0.31], { above: [[200_000, 2.5, 15, 0.625]] }],
  ["gemini-2.5-pro-preview-06-05", [1.25, 10, 0.31], { above: [[200_000, 2.5, 15, 0.625]] }],
  ["gemini-3-flash-preview", [0.5, 3, 0.05]],
  ["gemini-3-pro-preview", [2, 12, 0.2], { above: [[200_000, 4, 18, 0.4]] }],
  ["gemini-3.1-flash-lite", [0.25, 1.5, 0.025]],
  ["gemini-3.1-flash-lite-preview", [0.25, 1.5, 0.025]],
  ["gemini-3.1-pro-preview", [2, 12, 0.2], { above: [[200_000, 4, 18, 0.4]] }],
  ["gemini-3.5-flash", [1.5, 9, 0.15]],
  ["gemini-3.5-flash-lite", [0.3, 2.5, 0.03]],
  ["gemini-3.6-flash", [0.75, 3.75, 0.075]],
  ["gemini-3.7-flash", [0.75, 3.75, 0.075]],
  ["gemini-3.8-flash", [0.75, 3.75, 0.075]],
  ["gemini-4-argon", [2, 10, 0.1]],
  ["gemini-4-carbon", [2, 10, 0.1]],
  ["gemini-4-hydrogen", [1.5, 7.5, 0.075]],
  ["gemini-4-neon", [3, 15, 0.15]],
  ["gemini-flash-latest", [0.3, 2.5, 0.075]],
  ["gemini-flash-latest", [1.5, 9, 0.15], { from: "2026-09-22" }],
  ["gemini-flash-lite-latest", [0.1, 0.4, 0.025]],
  ["gemini-flash-lite-latest", [0.25, 1.5, 0.025], { from: "2026-09-22" }],
  ["gemini-pro-latest", [2, 12, 0.2], { above: [[200_000, 4, 18, 0.4]] }],
  // The Grok models
  ["grok-2", [2, 10, 2]],
  ["grok-2-1212", [2, 10, 2]],
  ["grok-3", [3, 15, 0.75]],
  ["grok-3-fast", [5, 25, 1.25]],
  ["grok-3-mini", [0.3, 0.5, 0.075]],
  ["grok-3-mini-fast", [0.6, 4, 0.15]],
  ["grok-4", [3, 15, 0.75], { above: [[128_000, 6, 30, 1.5]] }],
  ["grok-4-1-fast", [0.2, 0.5, 0.05], { above: [[128_000, 0.4, 1, 0.1]] }],
  ["grok-4-1-fast-non-reasoning", [0.2, 0.5, 0.05], { above: [[128_000, 0.4, 1, 0.1]] }],
  ["grok-4-fast", [0.2, 0.5, 0.05], { above: [[128_000, 0.4, 1, 0.1]] }],
  ["grok-4-fast-non-reasoning", [0.2, 0.5, 0.05], { above: [[128_000, 0.4, 1, 0.1]] }],
  ["grok-4.20-0309-non-reasoning", [2, 6, 0.2]],
  ["grok-4.20-0309-reasoning", [2, 6, 0.2]],
  ["grok-4.3", [1.25, 2.5, 0.2], { above: [[200_000, 2.5, 5, 0.4]] }],
  ["grok-4.5", [2, 6, 0.3], { above: [[200_000, 4, 12, 0.6]] }],
  ["grok-4.6", [2, 6, 0.5], { above: [[200_000, 4, 12, 1]] }],
  ["grok-4.7", [2, 6, 0.5], { above: [[200_000, 4, 12, 1]] }],
  ["grok-code-fast-1", [0.2, 1.5, 0.02]],
  // Mistral
  ["codestral-2508", [0.3, 0.9, 0.03]],
  ["codestral-latest", [0.3, 0.9, 0.03]],
  ["devstral-2512", [0.4, 2, 0.04]],
  ["devstral-latest", [0.4, 2, 0.04]],
  ["devstral-medium-2507", [0.4, 2, 0.04]],
  ["devstral-medium-latest", [0.4, 2, 0.04]],
  ["devstral-small-2505", [0.1, 0.3, 0.01]],
  ["devstral-small-2507", [0.1, 0.3, 0.01]],
  ["magistral-medium-latest", [2, 5, 0.2]],
  ["magistral-small", [0.5, 1.5, 0.05]],
  ["ministral-14b-2512", [0.2, 0.2, 0.02]],
  ["ministral-3b-2512", [0.1, 0.1, 0.01]],
  ["ministral-3b-latest", [0.04, 0.04, 0.004]],
  ["ministral-3b-latest", [0.1, 0.1, 0.01], { from: "2026-11-20" }],
  ["ministral-8b-2512", [0.15, 0.15, 0.015]],
  ["ministral-8b-latest", [0.1, 0.1, 0.01]],
  ["ministral-8b-latest", [0.15, 0.15, 0.015], { from: "2026-11-20" }],
  ["mistral-large-2411", [2, 6, 0.2]],
  ["mistral-large-2512", [0.5, 1.5, 0.05]],
  ["mistral-large-4", [0.7, 2.1, 0.07]],
  ["mistral-large-4-0-8", [0.7, 2.1, 0.07]],
  ["mistral-large-latest", [0.5, 1.5, 0.05]],
  ["mistral-large-latest", [0.7, 2.1, 0.07], { from: "2026-11-20" }],
  ["mistral-medium-2505", [0.4, 2, 0.04]],
  ["mistral-medium-2508", [0.4, 2, 0.04]],
  ["mistral-medium-2604", [1.5, 7.5, 0.15]],
  ["mistral-medium-3.5", [1.5, 7.5]],
  ["mistral-medium-latest", [0.4, 2]],
  ["mistral-medium-latest", [1.5, 7.5, 0.15], { from: "2026-09-22" }],
  ["mistral-small-2506", [0.1, 0.3, 0.01]],
  ["mistral-small-2603", [0.15, 0.6, 0.015]],
  ["mistral-small-latest", [0.1, 0.3]],
  ["mistral-small-latest", [0.15, 0.6, 0.015], { from: "2026-04-27" }],
  // DeepSeek
  ["deepseek-flash", [0.3, 1.2, 0.006]],
  ["deepseek-v4-flash", [0.14, 0.28, 0.028]],
  ["deepseek-v4-pro", [1.74, 3.48, 0.145]],
  ["deepseek-v4-pro", [1.32, 3.96, 0.044], { from: "2026-09-22" }],
  // Moonshot AI (Kimi)
  ["k3", [3, 15, 0.3]],
  ["k3-256k", [3, 15, 0.3]],
  ["k3.1-pro", [2, 10, 0.2]],
  ["k3.1-pro-highspeed", [4, 20, 0.2]],
  ["kimi-for-coding", [0.95, 4, 0.19]],
  ["kimi-for-coding-highspeed", [1.9, 8, 0.38]],
  ["kimi-k2.6", [0.95, 4, 0.16]],
  ["kimi-k2.7-code", [0.95, 4, 0.19]],
  ["kimi-k2.7-code-highspeed", [1.9, 8, 0.38]],
  ["kimi-k3", [3, 15, 0.3]],
  ["kimi-k3.1-pro", [2, 10, 0.2]],
  ["kimi-k3.1-pro-highspeed", [4, 20, 0.2]],
  // Z.ai (GLM)
  ["glm-4.5", [0.6, 2.2, 0.11]],
  ["glm-4.5-air", [0.2, 1.1, 0.03]],
  ["glm-4.5v", [0.6, 1.8]],
  ["glm-4.6", [0.6, 2.2, 0.11]],
  ["glm-4.6v", [0.3, 0.9]],
  ["glm-4.7", [0.6, 2.2, 0.11]],
  ["glm-4.7-flashx", [0.07, 0.4, 0.01]],
  ["glm-5-turbo", [1.2, 4, 0.24]],
  ["glm-5.2", [1.4, 4.4, 0.26]],
  ["glm-5.3", [1.4, 4.4, 0.26]],
  ["glm-5.3-flash", [0.15, 0.5, 0.03]],
  // MiniMax
  ["minimax-m2.7", [0.3, 1.2, 0.06, 0.375]],
  ["minimax-m2.7-highspeed", [0.6, 2.4, 0.06, 0.375]],
  ["minimax-m3", [0.3, 1.2, 0.06], { above: [[512_000, 0.6, 2.4, 0.12]] }],
  ["minimax-m3.1-flash", [0.15, 0.6, 0.015]],
  // Xiaomi
  ["mimo-v2.5", [0.14, 0.28, 0.0028]],
  ["mimo-v2.5-pro", [0.435, 0.87, 0.0036]],
  ["mimo-v2.5-pro-ultraspeed", [1.305, 2.61, 0.0108]],
  ["mimo-v2.6-flash", [0.14, 0.28, 0.0028]],
  ["mimo-v2.6-pro", [0.435, 0.87, 0.0036]],
  ["mimo-v2.6-pro-ultraspeed", [4.35, 8.7, 0.036]],
  // Meta
  ["muse-ember-1.0", [0.1, 0.5, 0.004], { above: [[200_000, 0.3, 1.5, 0.012]] }],
  ["muse-spark-1.1", [1.25, 4.25, 0.15]],
  ["muse-spark-1.2", [1.25, 4.25, 0.15]],
  ["muse-spark-1.3", [1.25, 4.25, 0.15]],
  ["muse-wonder-1.0", [4, 20, 0.2]],
];

/** Models that the catalogs miss, and prices before they list them: from the makers' price lists. */
const LISTS: readonly PriceRow[] = [
  // Anthropic
  ["claude-2*", [8, 24]],
  ["claude-instant*", [0.8, 2.4]],
  // OpenAI
  ["gpt-4", [30, 60]],
  ["gpt-4-32k", [60, 120]],
  ["gpt-3.5-turbo", [0.5, 1.5]],
  ["gpt-4.5-preview", [75, 150, 37.5]],
  ["o1-mini", [1.1, 4.4, 0.55]],
  ["o1-preview", [15, 60, 7.5]],
  // Google
  ["gemini-2.5-flash-preview", [0.15, 0.6, 0.0375]],
  // DeepSeek: prices outside the hours of discounts, which ended in September 2025
  ["deepseek-chat", [0.27, 1.1, 0.07]],
  ["deepseek-chat", [0.56, 1.68, 0.07], { from: "2025-09-05" }],
  ["deepseek-chat", [0.28, 0.42, 0.028], { from: "2025-09-29" }],
  ["deepseek-reasoner", [0.55, 2.19, 0.14]],
  ["deepseek-reasoner", [0.56, 1.68, 0.07], { from: "2025-09-05" }],
  ["deepseek-reasoner", [0.28, 0.42, 0.028], { from: "2025-09-29" }],
  ["deepseek-v3.1", [0.56, 1.68, 0.07]],
  ["deepseek-v3.2*", [0.28, 0.42, 0.028]],
  ["deepseek-r1", [0.55, 2.19, 0.14]],
  // Moonshot AI (Kimi)
  ["kimi-k2", [0.6, 2.5, 0.15]],
  ["kimi-k2-0711*", [0.6, 2.5, 0.15]],
  ["kimi-k2-0905*", [0.6, 2.5, 0.15]],
  ["kimi-k2-thinking", [0.6, 2.5, 0.15]],
  ["kimi-k2*turbo", [1.15, 8, 0.15]],
  ["kimi-k2.5", [0.6, 3, 0.1]],
  // Z.ai (GLM)
  ["glm-5", [1, 3.2, 0.2]],
  ["glm-5.1", [1.4, 4.4, 0.26]],
  // MiniMax
  ["minimax-m2", [0.3, 1.2, 0.03, 0.375]],
  ["minimax-m2.1", [0.3, 1.2, 0.03, 0.375]],
  ["minimax-m2.5", [0.3, 1.2, 0.03, 0.375]],
  // Alibaba (Qwen), outside China
  [
    "qwen3-coder-plus",
    [1, 5, 0.1],
    {
      above: [
        [32_000, 1.8, 9, 0.18],
        [128_000, 3, 15, 0.3],
        [256_000, 6, 60, 0.6],
      ],
    },
  ],
  [
    "qwen3-coder-flash",
    [0.3, 1.5, 0.08],
    {
      above: [
        [32_000, 0.5, 2.5, 0.12],
        [128_000, 0.8, 4, 0.2],
        [256_000, 1.6, 9.6, 0.4],
      ],
    },
  ],
  [
    "qwen3-max",
    [1.2, 6, 0.24],
    {
      above: [
        [32_000, 2.4, 12, 0.48],
        [128_000, 3, 15, 0.6],
      ],
    },
  ],
  ["qwen-plus", [0.4, 1.2, 0.08], { above: [[256_000, 1.2, 3.6, 0.24]] }],
  ["qwen-turbo", [0.05, 0.2]],
  ["qwen-max", [1.6, 6.4]],
];

/** What costs nothing by the token: models on one's own computer, and free variants. */
const FREE: readonly PriceRow[] = [
  ...["ollama", "lmstudio", "lm-studio", "llama.cpp", "llamacpp", "llama-cpp", "vllm", "mlx", "local"].map(
    (provider): PriceRow => [`${provider}/*`, [0, 0, 0, 0]],
  ),
  ["openrouter/*:free", [0, 0, 0, 0]],
];

/** The rows by their source, with the day on which they were recorded. */
export const PRICE_TABLE: readonly { source: PriceSource; recorded: string; rows: readonly PriceRow[] }[] = [
  { source: "catalog", recorded: "2026-11-20", rows: CATALOG },
  { source: "list", recorded: "2026-11-29", rows: LISTS },
  { source: "free", recorded: "2026-11-29", rows: FREE },
];
