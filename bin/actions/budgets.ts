/** The budgets of the settings, and the states that budgets have. */
import type { BudgetStatus } from "../../library/index.ts";

/** What `PIDEX_BUDGET` and `PIDEX_BUDGETS` name, each once. */
export function getBudgets(env: NodeJS.ProcessEnv = process.env): string[] {
  const texts = [env.PIDEX_BUDGET ?? "", ...(env.PIDEX_BUDGETS ?? "").split(";")];
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))];
}

/** Whether estimates count in budgets: by option, or else by `PIDEX_COUNT_ESTIMATES`. */
export function countsEstimates(option: boolean | undefined, env: NodeJS.ProcessEnv = process.env): boolean {
  return option ?? env.PIDEX_COUNT_ESTIMATES === "1";
}

/** `exceeded`: used up; `warning`: the share of a warning is reached; `fast`: will be used up before the period ends. */
export type BudgetState = "exceeded" | "warning" | "fast" | "ok";

/** @param warnAt a share of the budget: 0.8 */
export function getBudgetState(
  { share, projectedUsd, amountUsd }: BudgetStatus,
  warnAt?: number,
): BudgetState {
  if (share >= 1) return "exceeded";
  if (warnAt !== undefined && share >= warnAt) return "warning";
  return projectedUsd > amountUsd ? "fast" : "ok";
}

/** A budget as settings have it: `50/month project:shop`. */
export function formatBudget({
  amountUsd,
  per,
  project,
}: Pick<BudgetStatus, "amountUsd" | "per" | "project">): string {
  const name = project === undefined || !/\s/.test(project) ? project : `"${project}"`;
  return `${amountUsd}/${per}${name === undefined ? "" : ` project:${name}`}`;
}
