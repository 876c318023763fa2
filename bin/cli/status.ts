import { PidexError, readUserPrices, type Spending } from "../../library/index.ts";
import { countsEstimates, getBudgets } from "../actions/budgets.ts";
import { formatDollars, formatPercent } from "../format/numbers.ts";
import { toOneLine } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { withIndex } from "./run.ts";

/**
 * `pidex status`: prints a line for status bars. Starts as fast as `list`, because they run it every few seconds: it imports nothing that
 * `list` doesn't need, but for the sums (docs/decisions/0016-start-up.md).
 */
export async function run(io: Io, _: string[], flags: Flags<"status">): Promise<void> {
  const { session } = flags;
  const format = flags.format ?? (process.env.PIDEX_STATUS_FORMAT || undefined);
  const parts = parseFormat(format ?? (getBudgets().length > 0 ? WITH_BUDGET : WITHOUT_BUDGET));
  const estimates = countsEstimates(flags.estimates);
  const prices = estimates ? await readUserPrices() : undefined;
  await withIndex(io, { ...flags, sync: flags.sync === true }, async (index) => {
    const isUpToDate = flags.sync === true || (await index.isUpToDate());
    const spending = await index.spending({
      ...{ budgets: getBudgets(), session },
      ...(session === undefined &&
        (flags.json || parts.some(({ name }) => name === "session")) && { cwd: "." }),
      ...(process.env.PIDEX_WEEK_START && { weekStart: process.env.PIDEX_WEEK_START as "monday" }),
      ...(estimates && { estimates, prices }),
    });
    if (flags.json) await (await import("./json.ts")).writeJson(io, { isUpToDate, spending });
    else await io.out(`${toOneLine(fill(parts, spending, isUpToDate && spending.unreadFiles === 0))}\n`);
  });
}

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

type Part = { name?: string; text: string };

/** The text and placeholders of a format. @throws PidexError `BAD_OPTION` for an unknown placeholder */
function parseFormat(format: string): Part[] {
  return format.split(/(\{\w*\})/).map((text): Part => {
    const [, name] = /^\{(\w*)\}$/.exec(text) ?? [];
    if (name === undefined) return { text };
    if (Object.hasOwn(PLACEHOLDERS, name)) return { name, text };
    const hint = `Use ${Object.keys(PLACEHOLDERS)
      .map((each) => `{${each}}`)
      .join(", ")}.`;
    throw new PidexError("BAD_OPTION", `unknown placeholder {${name}}`, hint);
  });
}

function fill(parts: readonly Part[], spending: Spending, isUpToDate: boolean): string {
  return parts.map(({ name, text }) => (name ? PLACEHOLDERS[name]?.(spending, isUpToDate) : text)).join("");
}
