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
export function costOf({ cost }: Usage): number | undefined {
  if (cost?.total !== undefined) return cost.total;
  const parts = [cost?.input, cost?.output, cost?.cacheRead, cost?.cacheWrite].filter(
    (part) => part !== undefined,
  );
  if (parts.length > 0) return parts.reduce((sum, part) => sum + part, 0);
  return typeof cost?.totalFromProvider === "number" ? cost.totalFromProvider : undefined;
}

export function figuresOf(usage: Usage | null | undefined): EventFigures {
  const total = (usage && costOf(usage)) ?? 0;
  const fromProvider = usage?.cost?.totalFromProvider;
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

/** Whether an event tells of tokens or money. */
export function isBilled({ input, output, cacheRead, cacheWrite, cost }: EventFigures): boolean {
  return input + output + cacheRead + cacheWrite + cost > 0;
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
