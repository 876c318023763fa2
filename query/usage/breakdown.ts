import type { Reader } from "../../src/store/sqlite/reader.ts";
import { NO_QUARTER, type Sums } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { allOf } from "../filter.ts";
import { UNNAMED_AGENT } from "./families.ts";
import { addSums, isNothing, totalOf } from "./figures.ts";
import type { LedgerPart } from "./ledger-part.ts";
import type { Narrowed, Needs } from "./narrow.ts";
import { type Calendar, isOfHours, periodCuts, periodNames } from "./periods.ts";
import type { SumColumn, SumQuery, SumRow } from "./sum-query.ts";
import { sumUp } from "./sums.ts";
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

/** What must be known of a row to tell what it is of. */
const COLUMNS: Record<Exclude<UsageDimension, Period>, readonly SumColumn[]> = {
  model: ["model_id"],
  provider: ["model_id"],
  project: ["file_id"],
  session: ["file_id"],
  tool: ["tool", "subagent_file"],
  agent: ["agent", "kind", "subagent_file"],
  kind: ["kind", "subagent"],
  branch: ["current"],
  stop: ["stop"],
};

/** What people's messages don't have: a breakdown by it leaves them out. */
const OF_MODELS: readonly UsageDimension[] = ["model", "provider", "tool", "kind", "stop"];

/** Whether messages of people are part of a breakdown. */
export function hasTurns(by: readonly UsageDimension[]): boolean {
  return !by.some((dimension) => OF_MODELS.includes(dimension));
}

/** Whether a breakdown needs the members of `Narrowed`: of all sessions, or where there are subagents. */
export function needsMembers(by: readonly UsageDimension[]): Needs["needsMembers"] {
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
  const columns = [...new Set(by.flatMap((dimension) => (isPeriod(dimension) ? [] : COLUMNS[dimension])))];
  const periods = by.filter(isPeriod);
  const { blocks } = narrowed;
  const withTurns = (which: Sql<SqlBool>) =>
    hasTurns(by) ? which : allOf([sql<SqlBool>`kind <> 'user'`, which]);
  const query: SumQuery = {
    by: columns,
    periods:
      periods.length > 0
        ? { isOfHours: periods.some(isOfHours), cuts: periodCuts(periods, breakdown) }
        : undefined,
    since,
    until,
    spending: withTurns(narrowed.spending),
    columns: hasTurns(by) ? narrowed.columns : [...narrowed.columns, "kind"],
    blocks: blocks && { spending: withTurns(blocks.spending), toolUse: blocks.toolUse },
    byTool: by.includes("tool") || narrowed.ofTool ? narrowed.toolUse : undefined,
    subagents: narrowed.subagents,
  };
  const names = by.map((dimension) => naming(dimension, narrowed, breakdown));
  const isBySession = by.includes("session");
  const groups = new Map<string | null, Group>();
  for await (const rows of sumUp(db, ledger, query)) {
    for (const row of rows) {
      const { quarter: first = NO_QUARTER, counted } = row;
      if (counted != null) {
        row.quarter = counted;
        const before = groups.get(keyOf(row, names));
        if (before) addSums(before.sums, row, -1);
        row.quarter = first;
      }
      const key = keyOf(row, names);
      const group = groups.get(key);
      if (group) {
        addSums(group.sums, row);
        if (first < group.first) group.first = first;
      } else {
        const labels = names.map((nameOf) => nameOf(row));
        const session = isBySession ? rootOf(row, narrowed) : undefined;
        groups.set(key, { labels, sums: isWhole(row) ? row : totalOf([row]), session, first });
      }
    }
  }
  return inOrder(
    [...groups.values()].filter(({ sums }) => !isNothing(sums)),
    breakdown,
  );
}

type NameOf = (row: SumRow) => string | null;

/** The same for all rows that are of the same, and for no others. */
function keyOf(row: SumRow, names: readonly NameOf[]): string | null {
  // There are many rows, and mostly one dimension.
  const first = names[0]?.(row) ?? null;
  if (names.length < 2) return first;
  const second = names[1]?.(row) ?? null;
  return `${first?.length ?? -1} ${first} ${second === null ? "" : `=${second}`}`;
}

/** How rows are called in one dimension. */
function naming(dimension: UsageDimension, narrowed: Narrowed, calendar: Calendar): NameOf {
  if (isPeriod(dimension)) {
    const nameOf = periodNames(dimension, calendar);
    return ({ quarter = NO_QUARTER }) => nameOf(quarter) ?? null;
  }
  if (dimension !== "model") return (row) => labelOf(dimension, row, narrowed);
  const names = new Map<number | undefined, string | null>();
  return (row) => {
    const known = names.get(row.model_id);
    if (known !== undefined) return known;
    const name = labelOf(dimension, row, narrowed);
    names.set(row.model_id, name);
    return name;
  };
}

/** Whether a row has all sums, so that it need not be copied: there may be one for each hour of years. */
function isWhole(row: SumRow): row is SumRow & Sums {
  return row.billed !== undefined && row.calls !== undefined;
}

function labelOf(
  dimension: Exclude<UsageDimension, Period>,
  row: SumRow,
  { models, members }: Narrowed,
): string | null {
  const model = models.get(row.model_id ?? 0);
  switch (dimension) {
    case "model":
      return [model?.provider, model?.model].filter(Boolean).join("/") || null;
    case "provider":
      return model?.provider || null;
    case "project":
      return members.get(rootOf(row, { members }))?.cwd || null;
    case "session":
      return members.get(rootOf(row, { members }))?.path ?? null;
    case "tool":
      // What a subagent spent, the tool that started it cost. The calls it made itself are of the tools it called.
      return row.tool || (row.calls === undefined && members.get(row.subagent_file ?? 0)?.tool) || null;
    case "agent":
      if (row.subagent_file != null) return members.get(row.subagent_file)?.agent ?? UNNAMED_AGENT;
      return row.agent || (row.kind === "subagent" ? UNNAMED_AGENT : null);
    case "kind":
      return row.subagent === 1 ? "subagent" : (row.kind ?? "assistant");
    case "branch":
      return row.current === 1 ? "current" : "left";
    case "stop":
      return row.stop || null;
  }
}

function rootOf({ file_id }: SumRow, { members }: Pick<Narrowed, "members">): number {
  return members.get(file_id ?? 0)?.root ?? file_id ?? 0;
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
  const tokens = ({ input, output, cache_read, cache_write }: Sums) =>
    input + output + cache_read + cache_write;
  return (a, b) =>
    of(b).cost - of(a).cost || tokens(of(b)) - tokens(of(a)) || of(b).calls - of(a).calls || byLabel(n)(a, b);
}

function byLabel(n: number): Compare {
  return (a, b) => {
    const [one, other] = [a.labels[n] ?? null, b.labels[n] ?? null];
    if (one === other) return 0;
    if (one === null || other === null) return one === null ? 1 : -1;
    return one < other ? -1 : 1;
  };
}
