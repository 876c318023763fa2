import type { Usage } from "../src/session/entries.ts";
import type { Problem } from "../src/session/problems.ts";
import type { RecordedFigures } from "../src/store/billing-record.ts";

const TOKENS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

type Tokens = (typeof TOKENS)[number];

export type EventFigures = RecordedFigures;

/**
 * The recorded cost in US dollars: the total, else the sum of its parts, else the provider's figure; undefined if there is
 * none.
 */
export function getCost({ cost }: Pick<Usage, "cost">): number | undefined {
  if (typeof cost === "number") return cost;
  if (cost?.total !== undefined) return cost.total;
  const parts = [cost?.input, cost?.output, cost?.cacheRead, cost?.cacheWrite].filter(
    (part) => part !== undefined,
  );
  if (parts.length > 0) return parts.reduce((sum, part) => sum + part, 0);
  return typeof cost?.totalFromProvider === "number" ? cost.totalFromProvider : undefined;
}

export function toEventFigures(usage: Usage | null | undefined): EventFigures {
  const total = (usage && getCost(usage)) ?? 0;
  const { cost } = usage ?? {};
  const fromProvider = typeof cost === "number" ? undefined : cost?.totalFromProvider;
  const providers = fromProvider === true ? total : fromProvider || undefined;
  return {
    ...mapTokens((name) => Math.round(usage?.[name] ?? 0)),
    cost: nanoDollars(total),
    providerCost: providers === undefined ? null : nanoDollars(providers),
  };
}

/** A value for each kind of tokens, by its name. */
export function mapTokens<T>(toValue: (name: Tokens) => T): Record<Tokens, T> {
  return Object.fromEntries(TOKENS.map((name) => [name, toValue(name)])) as Record<Tokens, T>;
}

function nanoDollars(dollars: number): number {
  return Math.round(dollars * 1e9);
}

/** Subtracts parts from a sum of usage. No figure gets below 0: the parts may add up to more than the sum. */
export function subtractUsageParts(whole: Usage, parts: readonly Usage[]): Usage {
  const subtract = (figure: (usage: Usage) => number | undefined) => {
    const total = figure(whole);
    return total === undefined
      ? undefined
      : Math.max(
          0,
          parts.reduce((rest, part) => rest - (figure(part) ?? 0), total),
        );
  };
  const cost = subtract(getCost);
  return {
    ...mapTokens((name) => subtract((usage) => usage[name])),
    cost: cost === undefined ? undefined : Math.round(cost * 1e9) / 1e9,
  };
}

/** Whether no figure is less than in `other`. */
export function isAtLeast(figures: EventFigures, other: EventFigures): boolean {
  return [...TOKENS, "cost" as const].every((name) => figures[name] >= other[name]);
}

/** The names of invalid figures of an entry, such as `input` and `cost`, or `usage` for all of them. */
export function invalidFigures(invalid: readonly Problem[]): Set<string> {
  const names = invalid.flatMap(({ message }) => {
    const [match, figure = "usage"] = /^(?:\S+\.)?usage(?:\.(\w+))?[.:]/.exec(message) ?? [];
    return match === undefined ? [] : [figure];
  });
  return new Set(names);
}

/** Messages about missing figures, except invalid ones (`bad`). A model response must have usage. */
export function describeMissingFigures(
  usage: Usage | null | undefined,
  bad: ReadonlySet<string>,
  isResponse: boolean,
): string[] {
  if (!usage) return isResponse && !bad.has("usage") ? ["the model response has no usage"] : [];
  const missing = [
    ...(usage.input === undefined ? ["input"] : []),
    ...(usage.output === undefined ? ["output"] : []),
    ...(getCost(usage) === undefined ? ["cost"] : []),
  ].filter((figure) => !bad.has(figure));
  return missing.length > 0 ? [`usage without ${missing.join(", ")}`] : [];
}
