import { SUMS, type Sums } from "../../src/database/schema.ts";
import type { Figures } from "./usage-answers.ts";

export function noSums(): Sums {
  return Object.fromEntries(SUMS.map((name) => [name, 0])) as Sums;
}

/** Adds sums to others, in place. */
export function addSums(to: Sums, from: Partial<Sums>): void {
  for (const name of SUMS) {
    const sum = from[name];
    if (sum) to[name] += sum;
  }
}

export function totalOf(sums: Iterable<Partial<Sums>>): Sums {
  const total = noSums();
  for (const each of sums) addSums(total, each);
  return total;
}

/** Whether anything happened that adds up. */
export function isNothing({ billed, messages, turns, compactions, calls }: Sums): boolean {
  return billed + messages + turns + compactions + calls === 0;
}

/** Nano-dollars as US dollars. */
export function dollars(nano: number): number {
  return nano / 1e9;
}

/** Sums as answers tell them. `withTurns`: whether people's messages belong to the group. */
export function figuresOf(sums: Sums, withTurns = true): Figures {
  const { input, output, cost, messages, calls, answered, failed } = sums;
  const { cache_read: cacheRead, cache_write: cacheWrite } = sums;
  const sent = input + cacheRead + cacheWrite;
  // Left undefined rather than left out: objects of one shape, of which there may be one for each hour of years.
  return {
    costUsd: dollars(cost),
    costNanoUsd: cost,
    providerCostUsd: dollars(sums.provider_cost),
    events: sums.billed,
    tokens: {
      input,
      output,
      cacheRead,
      cacheWrite,
      cacheWrite1h: sums.cache_write_1h,
      reasoning: sums.reasoning,
      total: sent + output,
    },
    cacheHitRate: sent > 0 ? cacheRead / sent : undefined,
    messages,
    costPerMessageUsd: messages > 0 ? dollars(cost / messages) : undefined,
    turns: withTurns ? sums.turns : undefined,
    toolCalls: calls,
    answeredToolCalls: answered,
    failedToolCalls: failed,
    toolFailureRate: answered > 0 ? failed / answered : undefined,
    compactions: sums.compactions,
    modelMs: sums.model_ms,
    userMs: sums.user_ms,
    toolMs: sums.tool_ms,
  };
}

/**
 * What rows of `usage` come to together, with the rates of all of them: the sum of a group in a breakdown by two, for
 * example. Without `turns`, which are not in every breakdown.
 *
 * @example
 * const { rows } = await index.usage({ by: ["month", "model"] });
 * const january = addFigures(rows.filter(({ key }) => key.month === "2026-01"));
 */
export function addFigures(rows: readonly Figures[]): Figures {
  return figuresOf(totalOf(rows.map(sumsOf)), false);
}

function sumsOf({ tokens, ...figures }: Figures): Sums {
  return {
    billed: figures.events,
    messages: figures.messages,
    turns: figures.turns ?? 0,
    compactions: figures.compactions,
    input: tokens.input,
    output: tokens.output,
    cache_read: tokens.cacheRead,
    cache_write: tokens.cacheWrite,
    cache_write_1h: tokens.cacheWrite1h,
    reasoning: tokens.reasoning,
    cost: figures.costNanoUsd,
    provider_cost: Math.round(figures.providerCostUsd * 1e9),
    model_ms: figures.modelMs,
    user_ms: figures.userMs,
    calls: figures.toolCalls,
    answered: figures.answeredToolCalls,
    failed: figures.failedToolCalls,
    tool_ms: figures.toolMs,
  };
}
