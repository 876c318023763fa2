import type { Usage } from "../src/session/entries.ts";
import type { Problem } from "../src/session/problems.ts";

/** Tokens and money of an event, money in whole nano-dollars. */
export interface EventFigures {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  reasoning: number;
  cost: number;
  providerCost: number | null;
}

/**
 * What usage says it cost, in US dollars: a total, else its parts, else what the provider reported; undefined where it says
 * none of them.
 */
export function costOf({ cost }: Pick<Usage, "cost">): number | undefined {
  if (typeof cost === "number") return cost;
  if (cost?.total !== undefined) return cost.total;
  const parts = [cost?.input, cost?.output, cost?.cacheRead, cost?.cacheWrite].filter(
    (part) => part !== undefined,
  );
  if (parts.length > 0) return parts.reduce((sum, part) => sum + part, 0);
  return typeof cost?.totalFromProvider === "number" ? cost.totalFromProvider : undefined;
}

export function figuresOf(usage: Usage | null | undefined): EventFigures {
  const total = (usage && costOf(usage)) ?? 0;
  const { cost } = usage ?? {};
  const fromProvider = typeof cost === "number" ? undefined : cost?.totalFromProvider;
  const providers = fromProvider === true ? total : fromProvider || undefined;
  return {
    input: Math.round(usage?.input ?? 0),
    output: Math.round(usage?.output ?? 0),
    cacheRead: Math.round(usage?.cacheRead ?? 0),
    cacheWrite: Math.round(usage?.cacheWrite ?? 0),
    cacheWrite1h: Math.round(usage?.cacheWrite1h ?? 0),
    reasoning: Math.round(usage?.reasoning ?? 0),
    cost: nanoDollars(total),
    providerCost: providers === undefined ? null : nanoDollars(providers),
  };
}

function nanoDollars(dollars: number): number {
  return Math.round(dollars * 1e9);
}

/** Usage less what parts of it used. The parts may come to more than the whole: nothing is below 0. */
export function usageLess(whole: Usage, parts: readonly Usage[]): Usage {
  const less = (of: (usage: Usage) => number | undefined) => {
    const all = of(whole);
    return all === undefined
      ? undefined
      : Math.max(
          0,
          parts.reduce((rest, part) => rest - (of(part) ?? 0), all),
        );
  };
  const cost = less(costOf);
  return {
    input: less(({ input }) => input),
    output: less(({ output }) => output),
    cacheRead: less(({ cacheRead }) => cacheRead),
    cacheWrite: less(({ cacheWrite }) => cacheWrite),
    cacheWrite1h: less(({ cacheWrite1h }) => cacheWrite1h),
    reasoning: less(({ reasoning }) => reasoning),
    cost: cost === undefined ? undefined : Math.round(cost * 1e9) / 1e9,
  };
}

/** Whether an event tells of tokens or money. */
export function isBilled({ input, output, cacheRead, cacheWrite, cost }: EventFigures): boolean {
  return input + output + cacheRead + cacheWrite + cost > 0;
}

/** Whether no figure is less than another's. */
export function isAtLeast(figures: EventFigures, other: EventFigures): boolean {
  const names = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "cost"] as const;
  return names.every((name) => figures[name] >= other[name]);
}

/** The figures of an entry that were there, but wrong: `input`, `cost`; `usage` is all of them. */
export function badFigures(invalid: readonly Problem[]): Set<string> {
  const names = invalid.flatMap(({ message }) => {
    const [found, figure = "usage"] = /^(?:\S+\.)?usage(?:\.(\w+))?[.:]/.exec(message) ?? [];
    return found === undefined ? [] : [figure];
  });
  return new Set(names);
}

/** What usage does not say, as sentences, but for what it says wrong (`bad`). An answer must have usage. */
export function missingFigures(
  usage: Usage | null | undefined,
  bad: ReadonlySet<string>,
  isAnswer: boolean,
): string[] {
  if (!usage) return isAnswer && !bad.has("usage") ? ["the answer does not say what it used"] : [];
  const missing = [
    ...(usage.input === undefined ? ["input"] : []),
    ...(usage.output === undefined ? ["output"] : []),
    ...(costOf(usage) === undefined ? ["cost"] : []),
  ].filter((figure) => !bad.has(figure));
  return missing.length > 0 ? [`usage without ${missing.join(", ")}`] : [];
}
