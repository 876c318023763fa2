import { type BudgetStatus, PidexError, readUserPrices } from "../../library/index.ts";
import {
  type BudgetState,
  countsEstimates,
  formatBudget,
  getBudgetState,
  getBudgets,
} from "../actions/budgets.ts";
import { formatDollars, formatPercent } from "../format/numbers.ts";
import { toOneLine } from "../format/safe.ts";
import { createTimeFormatter } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { notePartialUsage } from "./figures.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, withIndexOrHub } from "./run.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "BUDGET", shrinksFirst: true },
  { heading: "SPENT", align: "right", style: "green" },
  { heading: "SHARE", align: "right" },
  { heading: "LEFT", align: "right" },
  { heading: "PROJECTED", align: "right", omitOrder: 2 },
  { heading: "UNTIL", omitOrder: 3 },
  { heading: "STATE", omitOrder: 1 },
];

/** `pidex budget`: shows budgets, what is left of them, and whether they will last. */
export async function run(io: Io, args: string[], flags: Flags<"budget">): Promise<number> {
  const { timeZone, weekStart } = flags;
  const budgets = args.length > 0 ? args : getBudgets();
  const warnAt = parseShare(flags.warnAt);
  const estimates = countsEstimates(flags.estimates);
  const prices = estimates ? await readUserPrices() : undefined;
  return withIndexOrHub(io, flags, async (index) => {
    const spending = await index.spending({ budgets, timeZone, weekStart, estimates, prices });
    notePartialUsage(io, spending);
    const states = spending.budgets.map((budget) => ({ ...budget, state: getBudgetState(budget, warnAt) }));
    if (flags.json) await writeJson(io, { spending: { ...spending, budgets: states } });
    else if (flags.ndjson) await writeJsonLines(io, states);
    else if (states.length === 0) {
      io.err("no budgets; set some: pidex config set budgets 10/day 200/month '50/month project:shop'\n");
    } else if (io.isTerminal) await io.out(formatStates(io, states, spending.timeZone));
    else await io.out(states.map((each) => formatRow(toRawCells(each))).join(""));
    return toExitCode(states.map(({ state }) => state));
  });
}

/** `80%` and `80` are 0.8. @throws PidexError `BAD_OPTION` */
function parseShare(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(/^(\d+(?:\.\d+)?)%?$/.exec(text.trim())?.[1]);
  if (percent > 0 && percent <= 100) return percent / 100;
  throw new PidexError(
    "BAD_OPTION",
    `invalid --warn-at "${text}"`,
    "Write a share of the budget: --warn-at 80%",
  );
}

function toExitCode(states: readonly BudgetState[]): number {
  if (states.includes("exceeded")) return EXIT.budgetExceeded;
  return states.includes("warning") ? EXIT.budgetWarning : EXIT.done;
}

type State = BudgetStatus & { state: BudgetState };

const STATES: Record<BudgetState, string> = {
  exceeded: "used up",
  warning: "nearly used up",
  fast: "won't last",
  ok: "ok",
};

function formatStates(io: Io, states: readonly State[], timeZone: string): string {
  const time = createTimeFormatter(timeZone);
  const rows = states.map((each) => {
    const end = time(new Date(Date.parse(each.until) - 1)).slice(0, 10);
    const style = { exceeded: "red", warning: "yellow", fast: "yellow", ok: "green" } as const;
    return [
      toOneLine(formatBudget(each)),
      formatDollars(each.spentUsd),
      formatPercent(each.share),
      formatDollars(Math.max(0, each.amountUsd - each.spentUsd)),
      formatDollars(each.projectedUsd),
      end,
      io.style(style[each.state], STATES[each.state]),
    ];
  });
  return formatTable(io, COLUMNS, rows) + formatEstimated(io, states);
}

/** Which part of the amounts is estimated, if estimates count. */
function formatEstimated(io: Io, states: readonly State[]): string {
  if (states.every(({ estimatedUsd }) => estimatedUsd === undefined)) return "";
  const parts = states.map(
    (each) => `${toOneLine(formatBudget(each))} about ${formatDollars(each.estimatedUsd ?? 0)}`,
  );
  return `${io.style("dim", `estimated: ${parts.join(", ")}`)}\n`;
}

/** Columns for scripts: budget, dollars spent, share, dollars left, dollars projected, end of the period, state, dollars estimated. */
function toRawCells(each: State): string[] {
  const { spentUsd, share, amountUsd, projectedUsd, until, state, estimatedUsd = 0 } = each;
  const cents = (usd: number) => usd.toFixed(4);
  const left = cents(Math.max(0, amountUsd - spentUsd));
  return [
    ...[toOneLine(formatBudget(each)), cents(spentUsd), share.toFixed(4), left, cents(projectedUsd), until],
    ...[state, cents(estimatedUsd)],
  ];
}
