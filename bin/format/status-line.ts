/** The line of `pidex status`, from a template such as `{today} today · {budget}{stale}`. */
import { PidexError, type Spending } from "../../library/index.ts";
import { formatDollars, formatPercent } from "./numbers.ts";
import { toOneLine } from "./safe.ts";

/** A template, parsed. */
export type StatusFormat = readonly { name?: string; text: string }[];

const WITH_BUDGET = "{today} today · {budget}{stale}";
const WITHOUT_BUDGET = "{today} today · {month} month{stale}";

/** The value of each placeholder. */
const PLACEHOLDERS: Readonly<Record<string, (spending: Spending, isUpToDate: boolean) => string>> = {
  today: ({ today }) => formatAmount(today),
  week: ({ week }) => formatAmount(week),
  month: ({ month }) => formatAmount(month),
  session: ({ session }) => (session ? formatAmount(session) : "-"),
  budget: ({ budgets }) => {
    const budget = findTightest(budgets);
    if (!budget) return "-";
    const { spentUsd, amountUsd, per, estimatedUsd = 0 } = budget;
    const about = estimatedUsd > 0 ? "~" : "";
    return `${about}${formatDollars(spentUsd)}/${formatDollars(amountUsd).slice(1).replace(/\.00$/, "")} ${budget.project ?? per}`;
  },
  percent: ({ budgets }) => {
    const budget = findTightest(budgets);
    return budget ? formatPercent(budget.share) : "-";
  },
  left: ({ budgets }) => {
    const budget = findTightest(budgets);
    return budget ? formatDollars(Math.max(0, budget.amountUsd - budget.spentUsd)) : "-";
  },
  stale: (_, isUpToDate) => (isUpToDate ? "" : " *"),
};

/** Recorded and, if it counts, estimated. */
function formatAmount({ costUsd, estimatedUsd = 0 }: Spending["today"]): string {
  return estimatedUsd > 0
    ? `${formatDollars(costUsd)}+~${formatDollars(estimatedUsd)}`
    : formatDollars(costUsd);
}

/** The budget of which the greatest share is used. */
function findTightest(budgets: Spending["budgets"]): Spending["budgets"][number] | undefined {
  return budgets.reduce<Spending["budgets"][number] | undefined>(
    (a, b) => (a && a.share >= b.share ? a : b),
    undefined,
  );
}

/**
 * @param template default: today, and the budget if there is one, or else the month
 * @throws PidexError `BAD_OPTION` for an unknown placeholder
 */
export function parseStatusFormat(template: string | undefined, hasBudgets: boolean): StatusFormat {
  const text = template || (hasBudgets ? WITH_BUDGET : WITHOUT_BUDGET);
  return text.split(/(\{\w*\})/).map((part): StatusFormat[number] => {
    const [, name] = /^\{(\w*)\}$/.exec(part) ?? [];
    if (name === undefined) return { text: part };
    if (Object.hasOwn(PLACEHOLDERS, name)) return { name, text: part };
    const hint = `Use ${Object.keys(PLACEHOLDERS)
      .map((each) => `{${each}}`)
      .join(", ")}.`;
    throw new PidexError("BAD_OPTION", `unknown placeholder {${name}}`, hint);
  });
}

/** The line, without a line break. */
export function formatStatus(format: StatusFormat, spending: Spending, isUpToDate: boolean): string {
  const parts = format.map(({ name, text }) => (name ? PLACEHOLDERS[name]?.(spending, isUpToDate) : text));
  return toOneLine(parts.join(""));
}
