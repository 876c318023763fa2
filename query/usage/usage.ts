import { EXTRACTION, WITHOUT_WORDS } from "../../src/store/extraction.ts";
import { SUM_INDEX } from "../../src/store/schema.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { inScopeWithoutIndex, type Scope } from "../../src/store/sqlite/scope.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { parseOptions } from "../options.ts";
import { type BreakdownGroup, breakDown, includesTurns, isPeriod, needsMembers } from "./breakdown.ts";
import { computeBudget } from "./budget.ts";
import { sumAll, toDollars, toFigures } from "./figures.ts";
import { groupSums, limitRows } from "./limit.ts";
import { findPeriod, getSystemTimeZone } from "./periods.ts";
import { resolveFilters, type UsageFilters, type UsageSelection } from "./resolve-filters.ts";
import { readScopedLedger, type ScopedLedger } from "./scoped-ledger.ts";
import type { BudgetStatus, SessionName, UsageReport, UsageRow } from "./usage-answers.ts";
import { type Budget, type ParsedUsageOptions, type UsageDimension, UsageOptions } from "./usage-options.ts";

/**
 * Token usage and cost, in total and broken down. Every billable event counts once, however many files record it.
 *
 * @throws PidexError `BAD_OPTION`; `NOT_FOUND`, `AMBIGUOUS` for a session
 */
export async function usage(db: Reader, scope: Scope, options: UsageOptions = {}): Promise<UsageReport> {
  const parsed = parseOptions(UsageOptions, options);
  // One snapshot, because some statements subtract what others count.
  return db.snapshot((snapshot) => report(snapshot, scope, parsed));
}

async function report(db: Reader, scope: Scope, parsed: ParsedUsageOptions): Promise<UsageReport> {
  const { by, limit, budget, since, until, weekStart } = parsed;
  const timeZone = parsed.timeZone ?? getSystemTimeZone();
  const ledger = await readScopedLedger(db, scope);
  const narrowed = await resolveFilters(db, ledger, parsed, needsMembers(by));
  const groups = await breakDown(db, ledger, narrowed, { by, since, until, timeZone, weekStart });
  const withTurns = includesTurns(by) && !excludesTurns(parsed);
  const sumsOf = (rows: readonly BreakdownGroup[]) => sumAll(rows.map(({ sums }) => sums));
  const kept = limitRows(groups, by, limit);
  const keptGroups = kept.length < groups.length && new Set(kept);
  const omitted = keptGroups ? groups.filter((group) => !keptGroups.has(group)) : [];
  const rows = by.length === 0 ? [] : await toUsageRows(db, kept, by, withTurns, narrowed.members);
  if (isPeriod(by[0])) addRunningCost(rows, groups, kept);
  return {
    by,
    timeZone,
    weekStart,
    rows,
    rowCount: by.length === 0 ? 0 : groups.length,
    ...(omitted.length > 0 && { others: toFigures(sumsOf(omitted), withTurns) }),
    ...groupSums(groups, kept, rows, by, withTurns),
    total: toFigures(sumsOf(groups), withTurns),
    ...(budget && { budget: await readBudget(db, ledger, narrowed, { ...parsed, timeZone, budget }) }),
    unreadFiles: await countUnreadFiles(db, scope),
  };
}

/** Converts groups to rows of the result. By session, rows have the session. */
export async function toUsageRows(
  db: Reader,
  groups: readonly BreakdownGroup[],
  by: readonly UsageDimension[],
  withTurns: boolean,
  members: UsageSelection["members"],
): Promise<UsageRow[]> {
  const ids = new Set(groups.flatMap(({ session }) => session ?? []));
  const sessions = await readSessionNames(db, [...ids], members);
  return groups.map(({ labels, sums, session }) => {
    const key: UsageRow["key"] = {};
    for (let n = 0; n < by.length; n++) key[by[n] as UsageDimension] = labels[n] ?? null;
    const row = toFigures(sums, withTurns) as UsageRow;
    row.key = key;
    const info = sessions.get(session ?? 0);
    if (info) row.session = info;
    return row;
  });
}

/** The names of sessions, by row id. */
async function readSessionNames(
  db: Reader,
  ids: readonly number[],
  members: UsageSelection["members"],
): Promise<Map<number, SessionName>> {
  const names = new Map<number, SessionName>();
  if (ids.length === 0) return names;
  // Looking up a session takes three times as long as reading the next one.
  const isIncluded =
    ids.length * 3 > members.size
      ? sql`TRUE`
      : sql`file_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const { rows } = await sql<{ fileId: number; id: string; name: string | null; firstMessage: string }>`
    SELECT file_id AS fileId, id, name, coalesce(first_message, '(no messages)') AS firstMessage
    FROM session WHERE ${isIncluded}`.execute(db);
  for (const { fileId, id, name, firstMessage } of rows) {
    const member = members.get(fileId);
    if (!member) continue;
    const { path, cwd } = member;
    names.set(
      fileId,
      name === null ? { path, id, cwd, firstMessage } : { path, id, cwd, firstMessage, name },
    );
  }
  return names;
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
  db: Reader,
  ledger: ScopedLedger,
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
  const groups = await breakDown(db, ledger, narrowed, span);
  return computeBudget(
    budget,
    { from, until },
    toDollars(sumAll(groups.map(({ sums }) => sums))[SUM_INDEX.cost] as number),
    now,
  );
}

/**
 * Number of files whose usage is not in the ledger yet: they were indexed by an older extraction, or only in part. Files that
 * lack only words are complete in this sense.
 */
export async function countUnreadFiles(db: Reader, scope: Scope): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    SELECT count(*) AS files FROM file WHERE extraction < ${sql.lit(EXTRACTION)} AND extraction <> ${sql.lit(WITHOUT_WORDS)} AND ${inScopeWithoutIndex(scope)}`.execute(
    db,
  );
  return rows[0]?.files ?? 0;
}
