import { type BilledFigures, isBilled } from "./billing-record.ts";

/**
 * The sizes of prompts, in tokens, above which some provider charges another price. Events without a recorded cost are
 * distinguished by them, so that sums of their tokens can be priced.
 */
export const CONTEXT_BOUNDS = [32_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000] as const;

/** Kinds whose figures add up several responses: their prompts are not known, and count as short ones. */
const OF_SEVERAL_RESPONSES: readonly string[] = ["tool", "subagent"];

/** The class of events with a recorded cost, and of those that are not billed. */
export const WITH_COST = 0;

/**
 * Classifies an event for estimates: `WITH_COST`, or 1 and the number of `CONTEXT_BOUNDS` that its prompt exceeds. It depends on
 * what is recorded alone, not on what is subtracted for subagents' sessions.
 */
export function toContextClass({ kind, ...figures }: BilledFigures & { kind: string }): number {
  if (figures.cost > 0 || !isBilled(figures)) return WITH_COST;
  if (OF_SEVERAL_RESPONSES.includes(kind)) return 1;
  const prompt = figures.input + figures.cacheRead + figures.cacheWrite;
  return 1 + CONTEXT_BOUNDS.filter((bound) => prompt > bound).length;
}

/** The largest prompt of a class, in tokens. */
export function maxPrompt(contextClass: number): number {
  return CONTEXT_BOUNDS[contextClass - 1] ?? Number.POSITIVE_INFINITY;
}
