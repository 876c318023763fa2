import { getOrInsert } from "../../src/get-or-insert.ts";
import { SUM_INDEX, type Sums, zeroSums } from "../../src/store/schema.ts";
import type {
  NumberedPeriod,
  SeriesTarget,
  SumTarget,
  UsageReads,
  UsageSeries,
} from "../../src/store/usage-reads.ts";
import type { Estimator } from "./estimator.ts";
import { isEmpty, sumAll } from "./figures.ts";
import { type Calendar, createPeriodNamer, type NamedPeriod } from "./periods.ts";
import { type Priced, PricedGroups } from "./priced-groups.ts";
import type { NeedsMembers, UsageSelection } from "./resolve-filters.ts";
import { UNNAMED_AGENT } from "./session-members.ts";
import { PERIODS, type Period, type UsageDimension } from "./usage-options.ts";

/** Dimensions and time range of a breakdown. */
export interface BreakdownOptions extends Calendar {
  by: readonly UsageDimension[];
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  /** Also estimates what events without a cost would have cost. */
  estimator?: Estimator | undefined;
}

/** One row of a breakdown. */
export interface BreakdownGroup extends Priced {
  /** A label for each dimension; null if nothing was recorded. */
  labels: (string | null)[];
  /** By session: its file. */
  session: number | undefined;
  /** For each dimension that is a period, its position in time. */
  positions: (number | undefined)[];
}

/** Dimensions that users' messages don't have: breakdowns by them omit these messages. */
const OF_MODELS: readonly UsageDimension[] = ["model", "provider", "tool", "kind", "stop"];

/** Whether a breakdown includes users' messages. */
export function includesTurns(by: readonly UsageDimension[]): boolean {
  return !by.some((dimension) => OF_MODELS.includes(dimension));
}

/** Whether a breakdown needs the `members` of a selection. */
export function needsMembers(by: readonly UsageDimension[]): NeedsMembers {
  if (by.some((dimension) => isOfFiles(dimension))) return "always";
  return by.includes("tool") || by.includes("agent") ? "for subagents" : "never";
}

export function isPeriod(dimension: UsageDimension | undefined): dimension is Period {
  return (PERIODS as readonly unknown[]).includes(dimension);
}

/** Breaks usage down. Periods are sorted by time, everything else by cost, with missing labels last. */
export async function breakDown(
  reads: Pick<UsageReads, "sum">,
  narrowed: UsageSelection,
  breakdown: BreakdownOptions,
): Promise<BreakdownGroup[]> {
  const { by, since, until, estimator } = breakdown;
  const withTurns = includesTurns(by);
  const byTool = by.includes("tool") || narrowed.hasToolFilter;
  const isBySession = by.includes("session");
  const dimensions = by.map((dimension) => toDimension(dimension, breakdown));
  const groups: BreakdownGroup[] = [];
  /** By the numbers of the labels that are not periods. */
  const targets = new Map<number, SumTarget>();
  /** With an estimator, the same by rate. */
  const targetsByRate: Map<number, SumTarget>[] = [targets];
  const priced = estimator && new PricedGroups(estimator, addGroup);
  const withoutTool = new Map<UsageSeries, UsageSeries>();
  /** Of files other than subagents', by the numbers of their labels: the targets depend on nothing else of these files. */
  const ofMainFiles = new Map<number, SeriesTarget>();

  function addGroup(label: number, session: number | undefined): BreakdownGroup {
    const found = dimensions.map(({ labels }, n) => labels.at(digit(label, by.length - 1 - n)));
    const sums = zeroSums();
    const group = {
      labels: found.map(({ label }) => label),
      sums,
      session,
      positions: found.map(({ position }) => position),
    };
    groups.push(group);
    return group;
  }

  function createTarget(label: number, session: number | undefined): SumTarget {
    const byPeriod = new Map<number, Sums>();
    // Runs for every sum of the roll-up, so it contains no closure, for which V8 would create an object at each call.
    return (period) => {
      let sums = byPeriod.get(period);
      if (!sums) {
        sums = addGroup(label + period, session).sums;
        byPeriod.set(period, sums);
      }
      return sums;
    };
  }

  function createSeriesTarget(file: number, fileLabels: readonly number[]): SeriesTarget {
    const session = isBySession ? mainSessionOf(file, narrowed) : undefined;
    return (series) => {
      let effective = series;
      if (series.isCall && !byTool) {
        effective = withoutTool.get(series) ?? { ...series, tool: "" };
        withoutTool.set(series, effective);
      }
      if ((series.kind === "user" && !withTurns) || !narrowed.matches(effective, file)) return undefined;
      let label = 0;
      for (let n = 0; n < dimensions.length; n++) {
        const { ofSeries, labels } = dimensions[n] as Dimension;
        label = label * LABELS + (fileLabels[n] as number);
        if (ofSeries) label += labels.of(labelOfSeries(ofSeries, effective, file, narrowed));
      }
      if (!estimator || !priced) return getOrInsert(targets, label, () => createTarget(label, session));
      const rate = estimator.rateOf(effective);
      targetsByRate[rate] ??= new Map();
      return getOrInsert(targetsByRate[rate], label, () => priced.createTarget(label, session, rate));
    };
  }

  const periodAt = dimensions.some(({ nameAt }) => nameAt)
    ? (quarter: number) => periodOf(dimensions, quarter)
    : undefined;
  await reads.sum({
    files: narrowed.files,
    subagents: narrowed.subagents,
    since,
    until,
    isByFile: dimensions.some(({ ofFiles }) => ofFiles),
    isBySeries:
      narrowed.filtersSeries || estimator !== undefined || dimensions.some(({ ofSeries }) => ofSeries),
    periodAt: estimator ? estimator.divide(periodAt) : periodAt,
    target(file) {
      const fileLabels = dimensions.map(({ ofFiles, labels }) =>
        ofFiles ? labels.of(labelOfFile(ofFiles, file, narrowed)) : 0,
      );
      if (narrowed.subagents.has(file)) return createSeriesTarget(file, fileLabels);
      const key = fileLabels.reduce((number, label) => number * LABELS + label, 0);
      return getOrInsert(ofMainFiles, key, () => createSeriesTarget(file, fileLabels));
    },
  });
  priced?.addUp();
  return sortGroups(
    groups.filter(({ sums }) => !isEmpty(sums)),
    breakdown,
  );
}

/** A dimension of a breakdown: a period, or a property of files or of series. */
interface Dimension {
  labels: Labels;
  nameAt?: (quarter: number) => NamedPeriod;
  ofFiles?: FileDimension;
  ofSeries?: SeriesDimension;
}

const FILE_DIMENSIONS = ["project", "session", "machine", "person"] as const;
type FileDimension = (typeof FILE_DIMENSIONS)[number];

function isOfFiles(dimension: UsageDimension): dimension is FileDimension {
  return (FILE_DIMENSIONS as readonly UsageDimension[]).includes(dimension);
}

/** Some also depend on whether the file is a subagent's. */
type SeriesDimension = Exclude<UsageDimension, Period | FileDimension>;

function toDimension(dimension: UsageDimension, calendar: Calendar): Dimension {
  const labels = new Labels();
  if (isPeriod(dimension)) return { labels, nameAt: createPeriodNamer(dimension, calendar) };
  if (isOfFiles(dimension)) return { labels, ofFiles: dimension };
  return { labels, ofSeries: dimension };
}

/** More than a dimension has labels. The labels of two dimensions are one number, in this base. */
const LABELS = 2 ** 26;

/** The number of a label in a number of two. */
function digit(number: number, position: number): number {
  return position === 0 ? number % LABELS : Math.floor(number / LABELS);
}

/** Numbers the labels of a dimension. */
class Labels {
  readonly #numbers = new Map<string | number | null, number>();
  readonly #labels: { label: string | null; position: number | undefined }[] = [];

  /** @param position of a period: it identifies the label, and takes less time to look up */
  of(label: string | null, position?: number): number {
    const key = position ?? label;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#labels.push({ label, position }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  at(number: number): { label: string | null; position: number | undefined } {
    return this.#labels[number] as { label: string | null; position: number | undefined };
  }
}

/** The period of a quarter of an hour in all dimensions that are periods. */
function periodOf(dimensions: readonly Dimension[], quarter: number): NumberedPeriod {
  let period = 0;
  let end = Number.POSITIVE_INFINITY;
  for (const { nameAt, labels } of dimensions) {
    period *= LABELS;
    if (!nameAt) continue;
    const { name = null, position, until } = nameAt(quarter);
    period += labels.of(name, position);
    end = Math.min(end, until);
  }
  return { period, until: end };
}

function labelOfSeries(
  dimension: SeriesDimension,
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
    case "tool":
      // The usage of a subagent counts for the tool that started it, but its tool calls for the tools it called.
      return series.tool || (!series.isCall && subagents.has(file) && members.get(file)?.tool) || null;
    case "agent":
      if (subagents.has(file)) return members.get(file)?.agent ?? UNNAMED_AGENT;
      return series.agent || (series.kind === "subagent" ? UNNAMED_AGENT : null);
    case "kind":
      return subagents.has(file) ? "subagent" : series.kind;
    case "branch":
      return series.current === 1 ? "current" : "abandoned";
    case "stop":
      return series.stop || null;
  }
}

const MEMBER_PROPERTIES = {
  project: "cwd",
  session: "path",
  machine: "machine",
  person: "person",
} as const satisfies Record<FileDimension, string>;

function labelOfFile(
  dimension: FileDimension,
  file: number,
  { members }: Pick<UsageSelection, "members">,
): string | null {
  const member = members.get(mainSessionOf(file, { members }));
  return member?.[MEMBER_PROPERTIES[dimension]] || null;
}

function mainSessionOf(file: number, { members }: Pick<UsageSelection, "members">): number {
  return members.get(file)?.mainSession ?? file;
}

/** Sorts groups by their first labels, then by their second. */
function sortGroups(groups: BreakdownGroup[], { by }: BreakdownOptions): BreakdownGroup[] {
  const comparisons = by.map((dimension, n) =>
    isPeriod(dimension) ? byPosition(n) : byCost(groups, n, n === 0 ? 1 : by.length),
  );
  return groups.sort((a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Compares by the position of period `n`. Missing labels are last. */
function byPosition(n: number): Compare {
  const position = ({ positions }: BreakdownGroup) => positions[n] ?? Number.MAX_VALUE;
  return (a, b) => position(a) - position(b);
}

type Compare = (a: BreakdownGroup, b: BreakdownGroup) => number;

/** Compares by cost, then by estimate and by tokens, highest first. With a `depth` of 1 of 2, by the sum of the groups with the same label `n`. */
function byCost(groups: readonly BreakdownGroup[], n: number, depth: number): Compare {
  const sums = new Map<BreakdownGroup, Sums>();
  const estimates = new Map<BreakdownGroup, number>();
  const estimateOf = ({ estimate }: BreakdownGroup) => estimate?.nanoUsd ?? 0;
  if (depth < (groups[0]?.labels.length ?? 0)) {
    for (const alike of Map.groupBy(groups, ({ labels }) => labels[n] ?? null).values()) {
      const total = sumAll(alike.map((group) => group.sums));
      const estimate = alike.reduce((sum, group) => sum + estimateOf(group), 0);
      for (const group of alike) {
        sums.set(group, total);
        estimates.set(group, estimate);
      }
    }
  }
  const of = (group: BreakdownGroup) => sums.get(group) ?? group.sums;
  const estimated = (group: BreakdownGroup) => estimates.get(group) ?? estimateOf(group);
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
      estimated(b) - estimated(a) ||
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
