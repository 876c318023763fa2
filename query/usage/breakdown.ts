import type { Reader } from "../../src/store/sqlite/reader.ts";
import { SUM_INDEX, type Sums, zeroSums } from "../../src/store/sqlite/schema.ts";
import { isEmpty, sumAll } from "./figures.ts";
import { type Calendar, createPeriodNamer } from "./periods.ts";
import type { NeedsMembers, UsageSelection } from "./resolve-filters.ts";
import type { ScopedLedger } from "./scoped-ledger.ts";
import { UNNAMED_AGENT } from "./session-members.ts";
import { sumLedger, type UsageSeries } from "./sum-ledger.ts";
import { PERIODS, type Period, type UsageDimension, WEEKDAYS } from "./usage-options.ts";

/** Dimensions and time range of a breakdown. */
export interface BreakdownOptions extends Calendar {
  by: readonly UsageDimension[];
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

/** One row of a breakdown. */
export interface BreakdownGroup {
  /** A label for each dimension; null if nothing was recorded. */
  labels: (string | null)[];
  sums: Sums;
  /** By session: its row id. */
  session: number | undefined;
  /** By period: the first quarter of an hour with an event. */
  first: number;
}

/** Dimensions that users' messages don't have: breakdowns by them omit these messages. */
const OF_MODELS: readonly UsageDimension[] = ["model", "provider", "tool", "kind", "stop"];

/** Whether a breakdown includes users' messages. */
export function includesTurns(by: readonly UsageDimension[]): boolean {
  return !by.some((dimension) => OF_MODELS.includes(dimension));
}

/** Whether a breakdown needs the `members` of a selection. */
export function needsMembers(by: readonly UsageDimension[]): NeedsMembers {
  if (by.includes("project") || by.includes("session")) return "always";
  return by.includes("tool") || by.includes("agent") ? "for subagents" : "never";
}

export function isPeriod(dimension: UsageDimension | undefined): dimension is Period {
  return (PERIODS as readonly unknown[]).includes(dimension);
}

/** Breaks the ledger down. Periods are sorted by time, everything else by cost, with missing labels last. */
export async function breakDown(
  db: Reader,
  ledger: ScopedLedger,
  narrowed: UsageSelection,
  breakdown: BreakdownOptions,
): Promise<BreakdownGroup[]> {
  const { by, since, until } = breakdown;
  const withTurns = includesTurns(by);
  const byTool = by.includes("tool") || narrowed.hasToolFilter;
  const isBySession = by.includes("session");
  // Unrolled, because by session there is a target for each file and series.
  const [one, other] = by.map((dimension) => createLabeler(dimension, narrowed, breakdown));
  const groups = new Groups(by.length);
  const withoutTool = new Map<UsageSeries, UsageSeries>();
  await sumLedger(db, ledger, {
    files: narrowed.files,
    subagents: narrowed.subagents,
    since,
    until,
    isByFile: isBySession || by.includes("project"),
    target(series, file) {
      let effective = series;
      if (series.isCall && !byTool) {
        effective = withoutTool.get(series) ?? { ...series, tool: "" };
        withoutTool.set(series, effective);
      }
      if ((series.kind === "user" && !withTurns) || !narrowed.matches(effective, file)) return undefined;
      const session = isBySession ? rootOf(file, narrowed) : undefined;
      const first = one?.of?.(effective, file) ?? null;
      const second = other?.of?.(effective, file) ?? null;
      const [firstAt, secondAt] = [one?.at, other?.at];
      if (!firstAt && !secondAt) return groups.sumsOf(first, second, session);
      return (quarter) =>
        groups.sumsAt(
          firstAt ? firstAt(quarter) : first,
          secondAt ? secondAt(quarter) : second,
          session,
          quarter,
        );
    },
  });
  return sortGroups(groups.nonEmpty(), breakdown);
}

/** The groups of a breakdown, by one or two labels. */
class Groups {
  readonly #dimensions: number;
  /** By the label of the first of two dimensions (null for one dimension), then of the last dimension. */
  readonly #groups = new Map<string | null, Map<string | null, BreakdownGroup>>();
  #last: { first: string | null; second: string | null; group: BreakdownGroup } | undefined;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  sumsOf(first: string | null, second: string | null, session: number | undefined): Sums {
    return this.#find(first, second, session).sums;
  }

  /** The same, and records the quarter of an hour, by which periods are sorted. */
  sumsAt(first: string | null, second: string | null, session: number | undefined, quarter: number): Sums {
    // Consecutive rows often have the same group.
    if (this.#last?.first !== first || this.#last.second !== second) {
      this.#last = { first, second, group: this.#find(first, second, session) };
    }
    const { group } = this.#last;
    if (quarter < group.first) group.first = quarter;
    return group.sums;
  }

  #find(first: string | null, second: string | null, session: number | undefined): BreakdownGroup {
    const isCrossed = this.#dimensions === 2;
    const outer = isCrossed ? first : null;
    const inner = isCrossed ? second : first;
    let groups = this.#groups.get(outer);
    if (!groups) {
      groups = new Map();
      this.#groups.set(outer, groups);
    }
    let group = groups.get(inner);
    if (!group) {
      const labels = [first, second].slice(0, this.#dimensions);
      group = { labels, sums: zeroSums(), session, first: Number.MAX_SAFE_INTEGER };
      groups.set(inner, group);
    }
    return group;
  }

  nonEmpty(): BreakdownGroup[] {
    return [...this.#groups.values()].flatMap((groups) =>
      [...groups.values()].filter(({ sums }) => !isEmpty(sums)),
    );
  }
}

/** Labels rows by one dimension: `of` a series and a file, or `at` a quarter of an hour. */
interface Labeler {
  of?: (series: UsageSeries, file: number) => string | null;
  at?: (quarter: number) => string | null;
}

function createLabeler(dimension: UsageDimension, narrowed: UsageSelection, calendar: Calendar): Labeler {
  if (isPeriod(dimension)) return { at: cachedPeriodNames(dimension, calendar) };
  return { of: (series, file) => labelOf(dimension, series, file, narrowed) };
}

/** Names quarters of an hour. Cached, because the times of files overlap. */
function cachedPeriodNames(period: Period, calendar: Calendar): (quarter: number) => string | null {
  const nameOf = createPeriodNamer(period, calendar);
  const names = new Map<number, string | null>();
  return (quarter) => {
    let name = names.get(quarter);
    if (name === undefined) {
      name = nameOf(quarter) ?? null;
      names.set(quarter, name);
    }
    return name;
  };
}

function labelOf(
  dimension: Exclude<UsageDimension, Period>,
  series: UsageSeries,
  file: number,
  { models, members, subagents }: UsageSelection,
): string | null {
  const model = models.get(series.model_id);
  switch (dimension) {
    case "model":
      return [model?.provider, model?.model].filter(Boolean).join("/") || null;
    case "provider":
      return model?.provider || null;
    case "project":
      return members.get(rootOf(file, { members }))?.cwd || null;
    case "session":
      return members.get(rootOf(file, { members }))?.path ?? null;
    case "tool":
      // The usage of a subagent counts for the tool that started it, but its tool calls for the tools it called.
      return series.tool || (!series.isCall && subagents.has(file) && members.get(file)?.tool) || null;
    case "agent":
      if (subagents.has(file)) return members.get(file)?.agent ?? UNNAMED_AGENT;
      return series.agent || (series.kind === "subagent" ? UNNAMED_AGENT : null);
    case "kind":
      return subagents.has(file) ? "subagent" : series.kind;
    case "branch":
      return series.current === 1 ? "current" : "left";
    case "stop":
      return series.stop || null;
  }
}

function rootOf(file: number, { members }: Pick<UsageSelection, "members">): number {
  return members.get(file)?.root ?? file;
}

/** Sorts groups by their first labels, then by their second. */
function sortGroups(groups: BreakdownGroup[], { by, weekStart }: BreakdownOptions): BreakdownGroup[] {
  const comparisons = by.map((dimension, n) => {
    if (dimension === "weekday") return byPosition(n, weekFrom(weekStart));
    if (dimension === "hour-of-day") return byLabel(n);
    return isPeriod(dimension) ? byTime(groups, n) : byCost(groups, n, n === 0 ? 1 : by.length);
  });
  return groups.sort((a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function weekFrom(first: (typeof WEEKDAYS)[number]): string[] {
  const start = WEEKDAYS.indexOf(first);
  return [...WEEKDAYS.slice(start), ...WEEKDAYS.slice(0, start)];
}

/** Compares by the first quarter of an hour of each label. Missing labels are last. */
function byTime(groups: readonly BreakdownGroup[], n: number): Compare {
  // With one dimension, each label occurs once.
  if (groups[0]?.labels.length === 1) {
    const position = ({ labels, first }: BreakdownGroup) =>
      labels[0] === null ? Number.MAX_SAFE_INTEGER : first;
    return (a, b) => position(a) - position(b);
  }
  const positions = new Map<string | null, number>();
  for (const { labels, first } of groups) {
    const label = labels[n] ?? null;
    positions.set(label, Math.min(positions.get(label) ?? first, first));
  }
  positions.set(null, Number.MAX_SAFE_INTEGER);
  const position = ({ labels }: BreakdownGroup) => positions.get(labels[n] ?? null) as number;
  return (a, b) => position(a) - position(b);
}

/** Compares by the position in `labels`. Missing labels are last. */
function byPosition(n: number, labels: readonly string[]): Compare {
  const positions = new Map(labels.map((label, position) => [label, position]));
  const position = (group: BreakdownGroup) => positions.get(group.labels[n] ?? "") ?? labels.length;
  return (a, b) => position(a) - position(b);
}

type Compare = (a: BreakdownGroup, b: BreakdownGroup) => number;

/** Compares by cost, then by tokens, highest first. With a `depth` of 1 of 2, by the sum of the groups with the same label `n`. */
function byCost(groups: readonly BreakdownGroup[], n: number, depth: number): Compare {
  const sums = new Map<BreakdownGroup, Sums>();
  if (depth < (groups[0]?.labels.length ?? 0)) {
    for (const alike of Map.groupBy(groups, ({ labels }) => labels[n] ?? null).values()) {
      const total = sumAll(alike.map((group) => group.sums));
      for (const group of alike) sums.set(group, total);
    }
  }
  const of = (group: BreakdownGroup) => sums.get(group) ?? group.sums;
  const tokens = (sums: Sums) =>
    [SUM_INDEX.input, SUM_INDEX.output, SUM_INDEX.cache_read, SUM_INDEX.cache_write].reduce(
      (sum, at) => sum + (sums[at] as number),
      0,
    );
  const more = (at: number, a: Sums, b: Sums) => (b[at] as number) - (a[at] as number);
  return (a, b) => {
    const [one, other] = [of(a), of(b)];
    return (
      more(SUM_INDEX.cost, one, other) ||
      tokens(other) - tokens(one) ||
      more(SUM_INDEX.calls, one, other) ||
      byLabel(n)(a, b)
    );
  };
}

function byLabel(n: number): Compare {
  return (a, b) => {
    const [one, other] = [a.labels[n] ?? null, b.labels[n] ?? null];
    if (one === other) return 0;
    if (one === null || other === null) return one === null ? 1 : -1;
    return one < other ? -1 : 1;
  };
}
