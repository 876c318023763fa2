import type { Sums } from "./sums.ts";
import type { Figures } from "./usage-answers.ts";

const NONE: Sums = {
  events: 0,
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  cache_write_1h: 0,
  reasoning: 0,
  cost: 0,
  provider_cost: 0,
  messages: 0,
  turns: 0,
  compactions: 0,
  model_ms: 0,
  user_ms: 0,
  calls: 0,
  answered: 0,
  failed: 0,
  tool_ms: 0,
};
const NAMES = Object.keys(NONE) as (keyof Sums)[];

export function noSums(): Sums {
  return { ...NONE };
}

/** Adds sums to others, in place. */
export function addSums(to: Sums, from: Partial<Sums>): void {
  for (const name of NAMES) {
    const figure = from[name];
    if (figure) to[name] += figure;
  }
}

export function totalOf(sums: Iterable<Partial<Sums>>): Sums {
  const total = noSums();
  for (const each of sums) addSums(total, each);
  return total;
}

/** Whether anything happened that adds up. */
export function isNothing({ events, messages, turns, compactions, calls }: Sums): boolean {
  return events + messages + turns + compactions + calls === 0;
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
  return {
    costUsd: dollars(cost),
    costNanoUsd: cost,
    providerCostUsd: dollars(sums.provider_cost),
    events: sums.events,
    tokens: {
      input,
      output,
      cacheRead,
      cacheWrite,
      cacheWrite1h: sums.cache_write_1h,
      reasoning: sums.reasoning,
      total: sent + output,
    },
    ...(sent > 0 && { cacheHitRate: cacheRead / sent }),
    messages,
    ...(messages > 0 && { costPerMessageUsd: dollars(cost / messages) }),
    ...(withTurns && { turns: sums.turns }),
    toolCalls: calls,
    answeredToolCalls: answered,
    failedToolCalls: failed,
    ...(answered > 0 && { toolFailureRate: failed / answered }),
    compactions: sums.compactions,
    modelMs: sums.model_ms,
    userMs: sums.user_ms,
    toolMs: sums.tool_ms,
  };
}
