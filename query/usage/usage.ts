import { SUM_INDEX } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { UsageReads } from "../../src/store/usage-reads.ts";
import { parseOptions } from "../options.ts";
import { resolveDates } from "../parse-moment.ts";
import { createPriceBook } from "../prices/price-book.ts";
import { NO_MESSAGES_TEXT } from "../session-info.ts";
import { type BreakdownGroup, breakDown, includesTurns, isPeriod, needsMembers } from "./breakdown.ts";
import { computeBudget } from "./budget.ts";
import { Estimator } from "./estimator.ts";
import { type FiguresShape, groupFigures, sumAll, sumFigures, toDollars } from "./figures.ts";
import { groupSums, limitRows } from "./limit.ts";
import { findPeriod, getSystemTimeZone } from "./periods.ts";
import { resolveFilters, type UsageFilters, type UsageSelection } from "./resolve-filters.ts";
import type { BudgetStatus, SessionName, UsageReport, UsageRow } from "./usage-answers.ts";
import { type Budget, type ParsedUsageOptions, type UsageDimension, UsageOptions } from "./usage-options.ts";

/**
 * Token usage and cost, in total and broken down. Every billable event counts once, however many files record it.
 *
 * @throws PidexError `BAD_OPTION`; `NOT_FOUND`, `AMBIGUOUS` for a session
 */
export async function usage(store: Store, options: UsageOptions = {}): Promise<UsageReport> {
  const parsed = parseOptions(UsageOptions, resolveDates(options));
  // One snapshot, because some reads subtract what others count.
  return store.snapshot((snapshot) => report(snapshot, parsed));
}

async function report(store: Store, parsed: ParsedUsageOptions): Promise<UsageReport> {
  const { by, limit, budget, since, until, weekStart } = parsed;
  const timeZone = parsed.timeZone ?? getSystemTimeZone();
  const reads = await store.usage();
  const narrowed = await resolveFilters(store, parsed, needsMembers(by));
  const book = parsed.estimates ? createPriceBook(parsed.prices) : undefined;
  const estimator = book && new Estimator(book, narrowed.models);
  const groups = await breakDown(reads, narrowed, { by, since, until, timeZone, weekStart, estimator });
  const withTurns = includesTurns(by) && !excludesTurns(parsed);
  const shape = { withTurns, withEstimates: book !== undefined };
  const kept = limitRows(groups, by, limit);
  const keptGroups = kept.length < groups.length && new Set(kept);
  const omitted = keptGroups ? groups.filter((group) => !keptGroups.has(group)) : [];
  const rows = by.length === 0 ? [] : await toUsageRows(reads, kept, by, shape, narrowed.members);
  if (isPeriod(by[0])) addRunningCost(rows, groups, kept);
  return {
    by,
    timeZone,
    weekStart,
    rows,
    rowCount: by.length === 0 ? 0 : groups.length,
    ...(omitted.length > 0 && { others: sumFigures(omitted, shape) }),
    ...groupSums(groups, kept, rows, by, shape),
    total: sumFigures(groups, shape),
    ...(budget && { budget: await readBudget(reads, narrowed, { ...parsed, timeZone, budget }) }),
    ...(book && { unpricedModels: listUnpriced(groups) }),
    unreadFiles: await reads.countUnread(),
  };
}

/** Converts groups to rows of the result. By session, rows have the session. */
export async function toUsageRows(
  reads: UsageReads,
  groups: readonly BreakdownGroup[],
  by: readonly UsageDimension[],
  shape: FiguresShape,
  members: UsageSelection["members"],
): Promise<UsageRow[]> {
  const ids = new Set(groups.flatMap(({ session }) => session ?? []));
  const sessions = await readSessionNames(reads, [...ids], members);
  return groups.map((group) => {
    const { labels, session } = group;
    const key: UsageRow["key"] = {};
    for (let n = 0; n < by.length; n++) key[by[n] as UsageDimension] = labels[n] ?? null;
    const row = groupFigures(group, shape) as UsageRow;
    row.key = key;
    const info = sessions.get(session ?? 0);
    if (info) row.session = info;
    return row;
  });
}

/** The names of sessions, by file. */
async function readSessionNames(
  reads: UsageReads,
  files: readonly number[],
  members: UsageSelection["members"],
): Promise<Map<number, SessionName>> {
  const names = new Map<number, SessionName>();
  for (const { file_id, id, name, first_message, computed_title } of await reads.sessionNames(files)) {
    const member = members.get(file_id);
    if (!member) continue;
    const { path, cwd } = member;
    const session: SessionName = { path, id, cwd, firstMessage: first_message ?? NO_MESSAGES_TEXT };
    if (name !== null) session.name = name;
    if (computed_title !== null) session.computedTitle = computed_title;
    names.set(file_id, session);
  }
  return names;
}

function listUnpriced(groups: readonly BreakdownGroup[]): UsageReport["unpricedModels"] {
  const byModel = new Map<string | null, number>();
  for (const { unpriced = [] } of groups)
    for (const [model, tokens] of unpriced) byModel.set(model, (byModel.get(model) ?? 0) + tokens);
  return [...byModel].map(([model, tokens]) => ({ model, tokens })).sort((a, b) => b.tokens - a.tokens);
}

/** Sets the running cost of each row, which includes earlier rows that the limit omitted. */
function addRunningCost(
  rows: readonly UsageRow[],
  groups: readonly BreakdownGroup[],
  kept: readonly BreakdownGroup[],
): void {
  let running = 0;
  let n = 0;
  for (const group of groups) {
    running += group.sums[SUM_INDEX.cost] as number;
    const row = group === kept[n] ? rows[n] : undefined;
    if (!row) continue;
    row.runningCostUsd = toDollars(running);
    n++;
  }
}

/** Whether filters exclude users' messages. */
function excludesTurns({ model, provider, kind, agent, tool }: UsageFilters): boolean {
  return [model, provider, kind, agent, tool].some((filter) => filter !== undefined);
}

/** The state of a budget. Includes all usage of the current period, whatever `since` and `until` are. */
async function readBudget(
  reads: UsageReads,
  narrowed: UsageSelection,
  {
    timeZone,
    weekStart,
    now = Date.now(),
    budget,
  }: ParsedUsageOptions & { timeZone: string; budget: Budget },
): Promise<BudgetStatus> {
  const { from, until } = findPeriod(now, budget.per, { timeZone, weekStart });
  const span = { by: [], since: from, until: Math.min(until, now + 1), timeZone, weekStart };
  const groups = await breakDown(reads, narrowed, span);
  return computeBudget(
    budget,
    { from, until },
    toDollars(sumAll(groups.map(({ sums }) => sums))[SUM_INDEX.cost] as number),
    now,
  );
}
