/** Reads budgets. Without zod, because the status line must start fast. */

export const BUDGET_PERIODS = ["day", "week", "month", "year"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** An amount of money per period, for everything or one project. */
export interface BudgetLimit {
  /** US dollars. */
  amountUsd: number;
  per: BudgetPeriod;
  /** Only sessions of this project, as the filter `project`. */
  project?: string | undefined;
}

const LIMIT = /^\$?(\d+(?:\.\d+)?)\/(day|week|month|year)(?:\s+project:(?:"([^"]+)"|(\S+)))?$/;

/** Parses `200/month` or `50/month project:shop`. Undefined for any other text. */
export function parseBudget(text: string): BudgetLimit | undefined {
  const [, amount, per, quoted, word] = LIMIT.exec(text.trim()) ?? [];
  const amountUsd = Number(amount);
  if (per === undefined || !(amountUsd > 0 && amountUsd <= 1e9)) return undefined;
  const project = quoted ?? word;
  return { amountUsd, per: per as BudgetPeriod, ...(project !== undefined && { project }) };
}

export function describeInvalidBudget(text: string): string {
  return `"${text}" is not a budget; write dollars per period, such as 200/month, 10/day or 50/month project:shop`;
}
