import { addSums, SUM_INDEX, type SUMS, type Sums, toSums, zeroSums } from "../../src/store/schema.ts";
import { addEstimates, type Estimate, NO_ESTIMATE } from "./estimate.ts";
import type { Priced } from "./priced-groups.ts";
import type { Figures } from "./usage-answers.ts";

export function sumAll(sums: Iterable<Sums>): Sums {
  const total = zeroSums();
  for (const each of sums) addSums(total, each);
  return total;
}

const COUNTS = (["billed", "messages", "turns", "compactions", "calls"] as const).map(
  (name) => SUM_INDEX[name],
);

/** Whether the sums contain no event and no call. */
export function isEmpty(sums: Sums): boolean {
  return COUNTS.every((at) => sums[at] === 0);
}

/** Converts nano-dollars to US dollars. */
export function toDollars(nano: number): number {
  return nano / 1e9;
}

/** Which figures a result has. */
export interface FiguresShape {
  withTurns: boolean;
  withEstimates: boolean;
}

/** The figures of one group. */
export function groupFigures(group: Priced, { withTurns, withEstimates }: FiguresShape): Figures {
  return toFigures(group.sums, withTurns, withEstimates ? (group.estimate ?? NO_ESTIMATE) : undefined);
}

/** The figures of all groups together. */
export function sumFigures(groups: readonly Priced[], { withTurns, withEstimates }: FiguresShape): Figures {
  const estimate = withEstimates ? addEstimates(groups.map((group) => group.estimate)) : undefined;
  return toFigures(sumAll(groups.map(({ sums }) => sums)), withTurns, estimate);
}

/** Converts sums to figures. Omits `turns` without `withTurns`. */
export function toFigures(sums: Sums, withTurns = true, estimate?: Estimate): Figures {
  const of = (name: (typeof SUMS)[number]) => sums[SUM_INDEX[name]] as number;
  const [input, output, cost, messages] = [of("input"), of("output"), of("cost"), of("messages")];
  const [cacheRead, cacheWrite] = [of("cache_read"), of("cache_write")];
  const [calls, answered, failed] = [of("calls"), of("answered"), of("failed")];
  const sent = input + cacheRead + cacheWrite;
  // Undefined rather than omitted, so that all objects have one shape: there may be one for each hour of several years.
  return {
    costUsd: toDollars(cost),
    costNanoUsd: cost,
    estimatedUsd: estimate && toDollars(Math.round(estimate.nanoUsd)),
    unpricedTokens: estimate?.unpricedTokens,
    providerCostUsd: toDollars(of("provider_cost")),
    events: of("billed"),
    tokens: {
      input,
      output,
      cacheRead,
      cacheWrite,
      cacheWrite1h: of("cache_write_1h"),
      reasoning: of("reasoning"),
      total: sent + output,
    },
    cacheHitRate: sent > 0 ? cacheRead / sent : undefined,
    messages,
    costPerMessageUsd: messages > 0 ? toDollars(cost / messages) : undefined,
    turns: withTurns ? of("turns") : undefined,
    toolCalls: calls,
    answeredToolCalls: answered,
    failedToolCalls: failed,
    toolFailureRate: answered > 0 ? failed / answered : undefined,
    compactions: of("compactions"),
    modelMs: of("model_ms"),
    userMs: of("user_ms"),
    toolMs: of("tool_ms"),
  };
}

/**
 * Adds up rows of `usage` and recomputes the rates, for example for a group of a breakdown by two dimensions. The result has
 * no `turns`, which not every breakdown has.
 *
 * @example
 * const { rows } = await index.usage({ by: ["month", "model"] });
 * const january = addFigures(rows.filter(({ key }) => key.month === "2026-01"));
 */
export function addFigures(rows: readonly Figures[]): Figures {
  const estimates = rows.map(({ estimatedUsd, unpricedTokens = 0 }) =>
    estimatedUsd === undefined ? undefined : { nanoUsd: estimatedUsd * 1e9, unpricedTokens },
  );
  const hasEstimates = estimates.some((estimate) => estimate !== undefined);
  return toFigures(sumAll(rows.map(sumsOf)), false, hasEstimates ? addEstimates(estimates) : undefined);
}

function sumsOf({ tokens, ...figures }: Figures): Sums {
  return toSums({
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
  });
}
