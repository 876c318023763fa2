import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { NO_QUARTER, QUARTER_MS, type Schema } from "../../src/database/schema.ts";
import { allOf } from "../filter.ts";
import { UNNAMED_AGENT } from "./families.ts";
import { addSums, isNothing, totalOf } from "./figures.ts";
import type { LedgerPart } from "./ledger-part.ts";
import type { Narrowed } from "./narrow.ts";
import { type Span, spansOf } from "./spans.ts";
import { type SumColumn, type SumRow, type Sums, sumUp } from "./sums.ts";
import { PERIODS, type Period, type UsageDimension, WEEKDAYS } from "./usage-options.ts";

/** How to break a part of the ledger down. */
export interface Breakdown {
  by: readonly UsageDimension[];
  /** Unix milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
  timeZone: string;
  weekStart: (typeof WEEKDAYS)[number];
}

/** One row of a breakdown. */
export interface Group {
  /** What it is of, one for each dimension; null where nothing is recorded. */
  labels: (string | null)[];
  sums: Sums;
  /** By session: its row. */
  session: number | undefined;
}

/** What must be known of a row to tell what it is of. */
const COLUMNS: Record<Exclude<UsageDimension, Period>, readonly SumColumn[]> = {
  model: ["model_id"],
  provider: ["model_id"],
  project: ["file_id"],
  session: ["file_id"],
  tool: ["tool", "subagent_file"],
  agent: ["agent", "kind", "subagent_file"],
  kind: ["kind", "subagent_file"],
  branch: ["current"],
  stop: ["stop"],
};

/** What people's messages don't have: a breakdown by it leaves them out. */
const OF_MODELS: readonly UsageDimension[] = ["model", "provider", "tool", "kind", "stop"];

/** Whether messages of people are part of a breakdown. */
export function hasTurns(by: readonly UsageDimension[]): boolean {
  return !by.some((dimension) => OF_MODELS.includes(dimension));
}

/** Whether a breakdown needs the members of `Narrowed`. */
export function needsMembers(by: readonly UsageDimension[]): boolean {
  return by.some((dimension) => ["project", "session", "tool", "agent"].includes(dimension));
}

export function isPeriod(dimension: UsageDimension | undefined): dimension is Period {
  return (PERIODS as readonly unknown[]).includes(dimension);
}

/** Breaks a part of the ledger down. Periods come by time, all else by cost, what has no name last. */
export async function breakDown(
  db: Kysely<Schema>,
  ledger: LedgerPart,
  narrowed: Narrowed,
  breakdown: Breakdown,
): Promise<Group[]> {
  const { by, since, until } = breakdown;
  const periods = by.filter(isPeriod);
  const spans = periods.length > 0 ? spansOf(await quartersOf(db, breakdown), periods, breakdown) : undefined;
  const columns = [...new Set(by.flatMap((dimension) => (isPeriod(dimension) ? [] : COLUMNS[dimension])))];
  const withoutTurns: RawBuilder<SqlBool> = sql`kind <> 'user'`;
  const spending = hasTurns(by) ? narrowed.spending : allOf([withoutTurns, narrowed.spending]);
  const tellsTools = by.includes("tool") || narrowed.ofTool;
  const { subagents } = narrowed;
  const isOfSessions = narrowed.isOfSessions && hasTurns(by);
  const query = {
    by: columns,
    since,
    until,
    subagents,
    isOfSessions,
  };
  const byTool = tellsTools ? narrowed.toolUse : undefined;
  const periodsOf = new Labels(spans ?? []);
  const rows = await sumUp(db, ledger, { ...query, ranges: spans && periodsOf.ranges, spending, byTool });
  if (spans && since === undefined && until === undefined) {
    // What has no time is in no period: a range of its own, which has no labels.
    const ranges = [{ first: NO_QUARTER, last: NO_QUARTER, group: 0 }];
    const timeless = await sumUp(db, ledger, { ...query, ranges, spending, byTool });
    rows.push(...timeless.map((row) => ({ ...row, range: null })));
  }
  return inOrder(folded(rows, breakdown, narrowed, periodsOf), breakdown, spans ?? []);
}

/** The quarters of an hour in which anything happened. */
async function quartersOf(db: Kysely<Schema>, { since, until }: Breakdown): Promise<number[]> {
  const conditions = [
    sql<SqlBool>`quarter > ${NO_QUARTER}`,
    ...(since === undefined ? [] : [sql<SqlBool>`quarter >= ${Math.floor(since / QUARTER_MS)}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`quarter <= ${Math.floor(until / QUARTER_MS)}`]),
  ];
  const { rows } = await sql<{ quarter: number }>`
    SELECT DISTINCT quarter FROM quarter_spending WHERE ${allOf(conditions)} ORDER BY quarter`.execute(db);
  return rows.map(({ quarter }) => quarter);
}

/** What spans are called, by number: a Monday comes every week. */
class Labels {
  readonly ranges: { first: number; last: number; group: number }[];
  readonly #named: string[][] = [];

  constructor(spans: readonly Span[]) {
    const numbers = new Map<string, number>();
    this.ranges = spans.map(({ first, last, labels }) => {
      const name = labels.length === 1 ? (labels[0] as string) : JSON.stringify(labels);
      const group = numbers.get(name) ?? this.#named.push(labels) - 1;
      numbers.set(name, group);
      return { first, last, group };
    });
  }

  of(range: number | null, nth: number): string | null {
    return range === null ? null : (this.#named[range]?.[nth] ?? null);
  }
}

/** Puts rows of the same labels together. */
function folded(rows: readonly SumRow[], { by }: Breakdown, narrowed: Narrowed, periods: Labels): Group[] {
  const isBySession = by.includes("session");
  const groups = new Map<string | null, Group>();
  for (const row of rows) {
    let nth = 0;
    const labels = by.map((dimension) =>
      isPeriod(dimension) ? periods.of(row.range, nth++) : labelOf(dimension, row, narrowed),
    );
    const key = labels.length === 1 ? (labels[0] as string | null) : JSON.stringify(labels);
    const group = groups.get(key);
    if (group) addSums(group.sums, row);
    else {
      const session = isBySession ? rootOf(row, narrowed) : undefined;
      groups.set(key, { labels, sums: isWhole(row) ? row : totalOf([row]), session });
    }
  }
  return [...groups.values()].filter(({ sums }) => !isNothing(sums));
}

/** Whether a row has all sums, so that it need not be copied: there may be one for each hour of years. */
function isWhole(row: SumRow): row is SumRow & Sums {
  return row.events !== undefined && row.calls !== undefined;
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
      return row.subagent_file != null ? "subagent" : (row.kind ?? "assistant");
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
function inOrder(groups: Group[], { by, weekStart }: Breakdown, spans: readonly Span[]): Group[] {
  let period = 0;
  const comparisons = by.map((dimension, n) => {
    if (!isPeriod(dimension)) return byCost(groups, n, n === 0 ? 1 : by.length);
    const nth = period++;
    if (dimension === "weekday") return byPlace(n, weekFrom(weekStart));
    const labels = new Set(spans.map(({ labels }) => labels[nth] as string));
    // Hours of the day go round; all else goes on, as its spans do.
    return byPlace(n, dimension === "hour-of-day" ? [...labels].sort() : [...labels]);
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
