/** The cost of a month so far, and its forecast. */
import { projectSpending } from "../../../format/projection.ts";
import { DAY_MS } from "../../../format/times.ts";
import { addMonths, startOfMonth } from "./ranges.ts";
import { addDays, formatZonedDate, startOfDay } from "./zone-days.ts";

export interface MonthForecast {
  /** The days of the month up to today, with the cost of each and the sum since the first, in dollars. */
  days: { day: string; costUsd: number; sumUsd: number }[];
  dayCount: number;
  /** The elapsed part of the month, in days. */
  elapsedDays: number;
  spentUsd: number;
  projectedUsd: number;
  /** The day on which the budget was used up, or will be; undefined if it won't be this month. */
  usedUpOn: string | undefined;
}

/** The forecast for the current month: the cost so far, divided by the elapsed part of the month. */
export function forecastMonth(
  rows: readonly { key: { day?: string | null | undefined }; costNanoUsd: number }[],
  {
    now,
    today,
    timeZone,
    budgetUsd,
  }: { now: number; today: string; timeZone: string; budgetUsd?: number | undefined },
): MonthForecast {
  const first = startOfMonth(today);
  const next = addMonths(first, 1);
  const costs = new Map(rows.map(({ key, costNanoUsd }) => [key.day, costNanoUsd]));
  const days: MonthForecast["days"] = [];
  let sum = 0; // in nano-dollars, so that it is exact
  for (let day = first; day <= today; day = addDays(day, 1)) {
    const cost = costs.get(day) ?? 0;
    sum += cost;
    days.push({ day, costUsd: cost / 1e9, sumUsd: sum / 1e9 });
  }
  const [from, until] = [startOfDay(timeZone, first), startOfDay(timeZone, next)];
  const { projectedUsd, reaches } = projectSpending({ from, until }, sum / 1e9, now);
  const amountUsd = budgetUsd ?? Number.POSITIVE_INFINITY;
  const reached = reaches(amountUsd);
  return {
    ...{ days, projectedUsd },
    dayCount: Math.round((until - from) / DAY_MS),
    elapsedDays: (now - from) / DAY_MS,
    spentUsd: sum / 1e9,
    usedUpOn:
      days.find(({ sumUsd }) => sumUsd >= amountUsd)?.day ??
      (reached < until ? formatZonedDate(timeZone, reached) : undefined),
  };
}

/** An amount in dollars per period as the server reads it. A plain number is one per month. Undefined for other texts. */
export function parseBudget(text: string): string | undefined {
  const [, amount = "", per = "month"] =
    /^\$?(\d+(?:\.\d+)?)(?:\s*\/\s*(day|week|month|year))?$/.exec(text.trim()) ?? [];
  return Number(amount) > 0 && Number(amount) <= 1e9 ? `${amount}/${per}` : undefined;
}

/** The amount of a budget per month such as `200/month`, in dollars; undefined for other texts. */
export function parseMonthlyBudget(text: string): number | undefined {
  const amount = /^\$?(\d+(?:\.\d+)?)\/month$/.exec(text.trim())?.[1];
  return amount === undefined ? undefined : Number(amount);
}
