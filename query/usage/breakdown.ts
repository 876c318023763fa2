import type { Reader } from "../../src/store/sqlite/reader.ts";
import { AT, noSums, type Sums } from "../../src/store/sqlite/schema.ts";
import { UNNAMED_AGENT } from "./families.ts";
import { isNothing, totalOf } from "./figures.ts";
import type { LedgerPart } from "./ledger-part.ts";
import type { Narrowed, NeedsMembers } from "./narrow.ts";
import { type Calendar, periodNames } from "./periods.ts";
import { type Series, sumUp } from "./sum-up.ts";
import { PERIODS, type Period, type UsageDimension, WEEKDAYS } from "./usage-options.ts";

/** How to break a part of the ledger down. */
export interface Breakdown extends Calendar {
  by: readonly UsageDimension[];
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

/** One row of a breakdown. */
export interface Group {
  /** What it is of, one for each dimension; null where nothing is recorded. */
  labels: (string | null)[];
  sums: Sums;
  /** By session: its row. */
  session: number | undefined;
  /** By a period: the first quarter of an hour in which anything happened. */
  first: number;
}

/** What people's messages don't have: a breakdown by it leaves them out. */
const OF_MODELS: readonly UsageDimension[] = ["model", "provider", "tool", "kind", "stop"];

/** Whether messages of people are part of a breakdown. */
export function hasTurns(by: readonly UsageDimension[]): boolean {
  return !by.some((dimension) => OF_MODELS.includes(dimension));
}

/** Whether a breakdown needs the members of `Narrowed`: of all sessions, or where there are subagents. */
export function needsMembers(by: readonly UsageDimension[]): NeedsMembers {
  if (by.includes("project") || by.includes("session")) return "always";
  return by.includes("tool") || by.includes("agent") ? "for subagents" : "never";
}

export function isPeriod(dimension: UsageDimension | undefined): dimension is Period {
  return (PERIODS as readonly unknown[]).includes(dimension);
}

/** Breaks a part of the ledger down. Periods come by time, all else by cost, what has no name last. */
export async function breakDown(
  db: Reader,
  ledger: LedgerPart,
  narrowed: Narrowed,
  breakdown: Breakdown,
): Promise<Group[]> {
  const { by, since, until } = breakdown;
  const withTurns = hasTurns(by);
  const byTool = by.includes("tool") || narrowed.ofTool;
  const isBySession = by.includes("session");
  // One by one instead of a loop: with sessions there is a target for each file and series.
  const [one, other] = by.map((dimension) => labelling(dimension, narrowed, breakdown));
  const groups = new Groups(by.length);
  const withoutTool = new Map<Series, Series>();
  await sumUp(db, ledger, {
    files: narrowed.files,
    subagents: narrowed.subagents,
    since,
    until,
    isByFile: isBySession || by.includes("project"),
    target(series, file) {
      let seen = series;
      if (series.isCall && !byTool) {
        seen = withoutTool.get(series) ?? { ...series, tool: "" };
        withoutTool.set(series, seen);
      }
      if ((series.kind === "user" && !withTurns) || !narrowed.matches(seen, file)) return undefined;
      const session = isBySession ? rootOf(file, narrowed) : undefined;
      const first = one?.of?.(seen, file) ?? null;
      const second = other?.of?.(seen, file) ?? null;
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
  return inOrder(groups.all(), breakdown);
}

/** The groups of a breakdown by their labels, two at most. */
class Groups {
  readonly #dimensions: number;
  /** By the label of the last dimension, and before that of the first of two. */
  readonly #groups = new Map<string | null, Map<string | null, Group>>();
  #last: { first: string | null; second: string | null; group: Group } | undefined;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  sumsOf(first: string | null, second: string | null, session: number | undefined): Sums {
    return this.#find(first, second, session).sums;
  }

  /** The same, where the quarter of an hour says the order of groups. */
  sumsAt(first: string | null, second: string | null, session: number | undefined, quarter: number): Sums {
    // Rows of one group often follow each other.
    if (this.#last?.first !== first || this.#last.second !== second) {
      this.#last = { first, second, group: this.#find(first, second, session) };
    }
    const { group } = this.#last;
    if (quarter < group.first) group.first = quarter;
    return group.sums;
  }

  #find(first: string | null, second: string | null, session: number | undefined): Group {
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
      group = { labels, sums: noSums(), session, first: Number.MAX_SAFE_INTEGER };
      groups.set(inner, group);
    }
    return group;
  }

  /** Those in which anything happened. */
  all(): Group[] {
    return [...this.#groups.values()].flatMap((groups) =>
      [...groups.values()].filter(({ sums }) => !isNothing(sums)),
    );
  }
}

/** How one dimension labels: `of` a series and a file, or `at` a quarter of an hour. */
interface Labelling {
  of?: (series: Series, file: number) => string | null;
  at?: (quarter: number) => string | null;
}

function labelling(dimension: UsageDimension, narrowed: Narrowed, calendar: Calendar): Labelling {
  if (isPeriod(dimension)) return { at: periodNaming(dimension, calendar) };
  return { of: (series, file) => labelOf(dimension, series, file, narrowed) };
}

/** Names quarters of an hour, each once: the times of files overlap. */
function periodNaming(period: Period, calendar: Calendar): (quarter: number) => string | null {
  const nameOf = periodNames(period, calendar);
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
  series: Series,
  file: number,
  { models, members, subagents }: Narrowed,
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
      // What a subagent spent, the tool that started it cost. The calls it made itself are of the tools it called.
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

function rootOf(file: number, { members }: Pick<Narrowed, "members">): number {
  return members.get(file)?.root ?? file;
}

/** Groups by their first labels, then by their second. */
function inOrder(groups: Group[], { by, weekStart }: Breakdown): Group[] {
  const comparisons = by.map((dimension, n) => {
    if (dimension === "weekday") return byPlace(n, weekFrom(weekStart));
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

/** Which of the two labels comes first in time; what has none comes last. */
function byTime(groups: readonly Group[], n: number): Compare {
  // Of one dimension each label stands once.
  if (groups[0]?.labels.length === 1) {
    const placeOf = ({ labels, first }: Group) => (labels[0] === null ? Number.MAX_SAFE_INTEGER : first);
    return (a, b) => placeOf(a) - placeOf(b);
  }
  const places = new Map<string | null, number>();
  for (const { labels, first } of groups) {
    const label = labels[n] ?? null;
    places.set(label, Math.min(places.get(label) ?? first, first));
  }
  places.set(null, Number.MAX_SAFE_INTEGER);
  const placeOf = ({ labels }: Group) => places.get(labels[n] ?? null) as number;
  return (a, b) => placeOf(a) - placeOf(b);
}

/** In the order of labels; what has none comes last. */
function byPlace(n: number, labels: readonly string[]): Compare {
  const places = new Map(labels.map((label, place) => [label, place]));
  const placeOf = (group: Group) => places.get(group.labels[n] ?? "") ?? labels.length;
  return (a, b) => placeOf(a) - placeOf(b);
}

type Compare = (a: Group, b: Group) => number;

/** The costliest first, then what most was sent to; the first `depth` labels together make a group. */
function byCost(groups: readonly Group[], n: number, depth: number): Compare {
  const sums = new Map<Group, Sums>();
  if (depth < (groups[0]?.labels.length ?? 0)) {
    for (const alike of Map.groupBy(groups, ({ labels }) => labels[n] ?? null).values()) {
      const total = totalOf(alike.map((group) => group.sums));
      for (const group of alike) sums.set(group, total);
    }
  }
  const of = (group: Group) => sums.get(group) ?? group.sums;
  const tokens = (sums: Sums) =>
    [AT.input, AT.output, AT.cache_read, AT.cache_write].reduce((sum, at) => sum + (sums[at] as number), 0);
  const more = (at: number, a: Sums, b: Sums) => (b[at] as number) - (a[at] as number);
  return (a, b) => {
    const [one, other] = [of(a), of(b)];
    return (
      more(AT.cost, one, other) ||
      tokens(other) - tokens(one) ||
      more(AT.calls, one, other) ||
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
