import { expandPath } from "../../src/session/locations.ts";
import type { SessionCondition } from "../../src/store/conditions.ts";
import { SUM_INDEX, zeroSums } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import type { UsageReads } from "../../src/store/usage-reads.ts";
import type { PriceRule } from "../prices/price-rule.ts";
import { computeBudget } from "./budget.ts";
import { type BudgetLimit, parseBudget } from "./parse-budget.ts";
import { type Calendar, findPeriod, getSystemTimeZone } from "./periods.ts";
import type { SumSelection } from "./price-sums.ts";
import { readSessionMembers, type SessionMember, withSubagents } from "./session-members.ts";
import type { Spending } from "./usage-answers.ts";
import type { SpendingOptions } from "./usage-options.ts";

/**
 * What was spent today, this week and this month, by one session, and the state of budgets. Loads no schemas for plain options, because
 * status lines run it every few seconds.
 *
 * @throws PidexError `BAD_OPTION`; as `resolveSession` for a session
 */
export async function readSpending(store: Store, options: SpendingOptions = {}): Promise<Spending> {
  const params = parsePlain(options) ?? (await parseFully(options));
  return store.snapshot((snapshot) => sumUp(snapshot, params));
}

interface Params {
  budgets: readonly BudgetLimit[];
  session?: string | undefined;
  cwd?: string | undefined;
  calendar: Calendar;
  now: number;
  estimates: boolean;
  prices?: readonly PriceRule[] | undefined;
}

/** Options that are certainly valid, without zod. Undefined for all others. */
function parsePlain(options: SpendingOptions): Params | undefined {
  const { budgets = [], session, cwd, estimates = false, ...others } = options;
  if (Object.values(others).some((value) => value !== undefined) || !Array.isArray(budgets)) return undefined;
  const isText = (value: unknown) => value === undefined || (typeof value === "string" && value !== "");
  if (!isText(session) || !isText(cwd) || typeof estimates !== "boolean" || budgets.length > 100)
    return undefined;
  const limits = budgets.flatMap((text: unknown) => (typeof text === "string" && parseBudget(text)) || []);
  if (limits.length < budgets.length) return undefined;
  const calendar: Calendar = { timeZone: getSystemTimeZone(), weekStart: "monday" };
  return { budgets: limits, session, cwd, calendar, now: Date.now(), estimates };
}

async function parseFully(options: SpendingOptions): Promise<Params> {
  const [{ parseOptions }, { SpendingOptions: schema }, { resolveDates }] = await Promise.all([
    import("../options.ts"),
    import("./usage-options.ts"),
    import("../parse-moment.ts"),
  ]);
  const {
    budgets = [],
    timeZone,
    weekStart,
    now = Date.now(),
    ...params
  } = parseOptions(schema, resolveDates(options));
  return {
    ...params,
    budgets: budgets.flatMap((text) => parseBudget(text) ?? []),
    calendar: { timeZone: timeZone ?? getSystemTimeZone(), weekStart },
    now,
  };
}

type Amount = Spending["today"];

async function sumUp(store: Store, params: Params): Promise<Spending> {
  const { budgets, calendar, now, estimates } = params;
  const reads = await store.usage();
  const subagents = new Set(await reads.subagentFiles());
  const sum = await createSum(reads, estimates ? (params.prices ?? []) : undefined);
  let members: Promise<ReadonlyMap<number, SessionMember>> | undefined;
  const readMembers = () => {
    members ??= readSessionMembers(store);
    return members;
  };
  const known = new Map<string, Promise<Amount>>();
  const spentIn = (per: BudgetLimit["per"], project?: string): Promise<Amount> => {
    const key = `${per} ${project ?? ""}`;
    const amount =
      known.get(key) ??
      (async () => {
        const { from, until } = findPeriod(now, per, calendar);
        const files =
          project === undefined ? undefined : await findProject(store, project, await readMembers());
        return sum({ files, subagents, since: from, until: Math.min(until, now + 1) });
      })();
    known.set(key, amount);
    return amount;
  };
  const file = await findSession(store, params);
  return {
    time: new Date(now).toISOString(),
    timeZone: calendar.timeZone,
    today: await spentIn("day"),
    week: await spentIn("week"),
    month: await spentIn("month"),
    ...(file && {
      session: {
        path: file.path,
        ...(await sum({ files: toFiles(withSubagents(await readMembers(), new Set([file.id]))), subagents })),
      },
    }),
    budgets: await Promise.all(
      budgets.map(async (budget) => {
        const { costUsd, estimatedUsd } = await spentIn(budget.per, budget.project);
        const spentUsd = costUsd + (estimatedUsd ?? 0);
        const status = computeBudget(budget, findPeriod(now, budget.per, calendar), spentUsd, now);
        return { ...status, ...(estimatedUsd !== undefined && { estimatedUsd }) };
      }),
    ),
    unreadFiles: await reads.countUnread(),
  };
}

/** @param prices undefined without estimates */
async function createSum(
  reads: UsageReads,
  prices: readonly PriceRule[] | undefined,
): Promise<(selection: SumSelection) => Promise<Amount>> {
  const toUsd = (nano: number) => Math.round(nano) / 1e9;
  if (prices) {
    const { createPricedSum } = await import("./price-sums.ts");
    const sum = await createPricedSum(reads, prices);
    return async (selection) => {
      const { sums, estimate } = await sum(selection);
      return { costUsd: toUsd(sums[SUM_INDEX.cost] as number), estimatedUsd: toUsd(estimate?.nanoUsd ?? 0) };
    };
  }
  return async (selection) => {
    const sums = zeroSums();
    const target = () => sums;
    await reads.sum({ ...selection, isBySeries: false, target: () => () => target });
    return { costUsd: toUsd(sums[SUM_INDEX.cost] as number) };
  };
}

const toFiles = (members: readonly SessionMember[]) => new Set(members.map(({ id }) => id));

/** The files of the sessions of a project, and of their subagents in any directory. */
async function findProject(
  store: Store,
  project: string,
  members: ReadonlyMap<number, SessionMember>,
): Promise<ReadonlySet<number>> {
  const selected = new Set(await store.sessions.findFiles({ kind: "project", project }));
  return toFiles([...members.values()].filter(({ mainSession }) => selected.has(mainSession)));
}

/** The session of the options, or the newest one of their folder. */
async function findSession(
  store: Store,
  { session, cwd }: Params,
): Promise<{ id: number; path: string } | undefined> {
  if (session !== undefined) {
    const { resolveSession } = await import("../resolve-session.ts");
    const { fileId, info } = await resolveSession(store, session);
    return { id: fileId, path: info.path };
  }
  if (cwd === undefined) return undefined;
  const isMain: SessionCondition = { kind: "flag", flag: "subagent", value: false };
  const of: SessionCondition[] = [isMain, { kind: "cwd", path: expandPath(cwd) }];
  const [newest] = await store.sessions.find({ kind: "all", of }, 1);
  return newest && { id: newest.file_id, path: newest.path };
}
