import { EXTRACTION, WORDLESS } from "../../src/store/sqlite/extraction.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { AT } from "../../src/store/sqlite/schema.ts";
import { sql } from "../../src/store/sqlite/sql.ts";
import { parseOptions } from "../options.ts";
import { inScopeOneByOne, type Scope } from "../scope.ts";
import { breakDown, type Group, hasTurns, isPeriod, needsMembers } from "./breakdown.ts";
import { budgetLine } from "./budget.ts";
import { dollars, figuresOf, totalOf } from "./figures.ts";
import { type LedgerPart, ledgerPart } from "./ledger-part.ts";
import { groupSums, limited } from "./limit.ts";
import { type Narrowed, type Narrowing, narrow } from "./narrow.ts";
import { periodAround, systemTimeZone } from "./periods.ts";
import type { Budgeted, SessionName, UsageReport, UsageRow } from "./usage-answers.ts";
import { type Budget, type ParsedUsageOptions, type UsageDimension, UsageOptions } from "./usage-options.ts";

/**
 * What was used and what it cost, in all and broken down. Every act counts once, however many files tell of it.
 *
 * @throws PidexError `BAD_OPTION`; `NOT_FOUND`, `AMBIGUOUS` for a session
 */
export async function usage(db: Reader, scope: Scope, options: UsageOptions = {}): Promise<UsageReport> {
  const parsed = parseOptions(UsageOptions, options);
  // Of one moment: what one statement counts for a day, another takes away again.
  return db.snapshot((snapshot) => report(snapshot, scope, parsed));
}

async function report(db: Reader, scope: Scope, parsed: ParsedUsageOptions): Promise<UsageReport> {
  const { by, limit, budget, since, until, weekStart } = parsed;
  const timeZone = parsed.timeZone ?? systemTimeZone();
  const ledger = await ledgerPart(db, scope);
  const narrowed = await narrow(db, scope, parsed, needsMembers(by));
  const groups = await breakDown(db, ledger, narrowed, { by, since, until, timeZone, weekStart });
  const withTurns = hasTurns(by) && !isOfModels(parsed);
  const sumsOf = (some: readonly Group[]) => totalOf(some.map(({ sums }) => sums));
  const kept = limited(groups, by, limit);
  const keptGroups = new Set(kept);
  const left = groups.filter((group) => !keptGroups.has(group));
  const rows = by.length === 0 ? [] : await usageRows(db, kept, by, withTurns);
  if (isPeriod(by[0])) addRunningCost(rows, groups, kept);
  return {
    by,
    timeZone,
    weekStart,
    rows,
    rowCount: by.length === 0 ? 0 : groups.length,
    ...(left.length > 0 && { others: figuresOf(sumsOf(left), withTurns) }),
    ...groupSums(groups, kept, rows, by, withTurns),
    total: figuresOf(sumsOf(groups), withTurns),
    ...(budget && { budget: await budgeted(db, ledger, narrowed, { ...parsed, timeZone, budget }) }),
    unreadFiles: await unreadFiles(db, scope),
  };
}

/** Groups as answers tell them; those by session with the session. */
export async function usageRows(
  db: Reader,
  groups: readonly Group[],
  by: readonly UsageDimension[],
  withTurns: boolean,
): Promise<UsageRow[]> {
  const ids = new Set(groups.flatMap(({ session }) => session ?? []));
  const sessions = await sessionNames(db, [...ids]);
  return groups.map(({ labels, sums, session }) => {
    const key: UsageRow["key"] = {};
    for (let n = 0; n < by.length; n++) key[by[n] as UsageDimension] = labels[n] ?? null;
    const row = figuresOf(sums, withTurns) as UsageRow;
    row.key = key;
    const info = sessions.get(session ?? 0);
    if (info) row.session = info;
    return row;
  });
}

/** What to call sessions, by their rows. */
async function sessionNames(db: Reader, ids: readonly number[]): Promise<Map<number, SessionName>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Omit<SessionName, "name"> & { file_id: number; name: string | null }>`
    SELECT session.file_id, file.path, session.id, session.cwd, session.name,
      coalesce(session.first_message, '(no messages)') AS firstMessage
    FROM session JOIN file ON file.id = session.file_id
    WHERE file.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`.execute(db);
  return new Map(
    rows.map(({ file_id, name, ...rest }) => [file_id, { ...rest, ...(name !== null && { name }) }]),
  );
}

/** Says of each row what it and all before it come to, those that were left out among them. */
function addRunningCost(rows: readonly UsageRow[], groups: readonly Group[], kept: readonly Group[]): void {
  let running = 0;
  let n = 0;
  for (const group of groups) {
    running += group.sums[AT.cost] as number;
    const row = group === kept[n] ? rows[n] : undefined;
    if (!row) continue;
    row.runningCostUsd = dollars(running);
    n++;
  }
}

/** Whether only what models did is asked for: messages of people are no part of that. */
function isOfModels({ model, provider, kind, agent, tool }: Narrowing): boolean {
  return [model, provider, kind, agent, tool].some((filter) => filter !== undefined);
}

/** What was spent in the period that is now, of all that `since` and `until` don't cut. */
async function budgeted(
  db: Reader,
  ledger: LedgerPart,
  narrowed: Narrowed,
  {
    timeZone,
    weekStart,
    now = Date.now(),
    budget,
  }: ParsedUsageOptions & { timeZone: string; budget: Budget },
): Promise<Budgeted> {
  const { from, until } = periodAround(now, budget.per, { timeZone, weekStart });
  const span = { by: [], since: from, until: Math.min(until, now + 1), timeZone, weekStart };
  const groups = await breakDown(db, ledger, narrowed, span);
  return budgetLine(
    budget,
    { from, until },
    dollars(totalOf(groups.map(({ sums }) => sums))[AT.cost] as number),
    now,
  );
}

/** Files that an older extraction read, or this one in part: what they cost is not in the ledger yet. Only words cost nothing. */
export async function unreadFiles(db: Reader, scope: Scope): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    SELECT count(*) AS files FROM file WHERE extraction < ${sql.lit(EXTRACTION)} AND extraction <> ${sql.lit(WORDLESS)} AND ${inScopeOneByOne(scope)}`.execute(
    db,
  );
  return rows[0]?.files ?? 0;
}
