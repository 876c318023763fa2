import { SUMS, type Sums } from "../../src/store/sqlite/schema.ts";
import type { Figures } from "./usage-answers.ts";

const NONE = Object.fromEntries(SUMS.map((name) => [name, 0])) as Sums;

export function noSums(): Sums {
  return { ...NONE };
}

/**
 * Adds sums to others, in place; with -1 it takes them away. By the thousand: name by name it takes a fraction of what a
 * loop over the names does.
 */
export function addSums(to: Sums, from: Partial<Sums>, times: 1 | -1 = 1): void {
  to.billed += times * (from.billed ?? 0);
  to.messages += times * (from.messages ?? 0);
  to.turns += times * (from.turns ?? 0);
  to.compactions += times * (from.compactions ?? 0);
  to.input += times * (from.input ?? 0);
  to.output += times * (from.output ?? 0);
  to.cache_read += times * (from.cache_read ?? 0);
  to.cache_write += times * (from.cache_write ?? 0);
  to.cache_write_1h += times * (from.cache_write_1h ?? 0);
  to.reasoning += times * (from.reasoning ?? 0);
  to.cost += times * (from.cost ?? 0);
  to.provider_cost += times * (from.provider_cost ?? 0);
  to.model_ms += times * (from.model_ms ?? 0);
  to.user_ms += times * (from.user_ms ?? 0);
  to.calls += times * (from.calls ?? 0);
  to.answered += times * (from.answered ?? 0);
  to.failed += times * (from.failed ?? 0);
  to.tool_ms += times * (from.tool_ms ?? 0);
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
