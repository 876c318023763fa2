import type { UsageReport } from "../../library/index.ts";
import { formatDollars, formatPercent } from "../format/numbers.ts";
import { wrap } from "../format/text.ts";
import { createTimeFormatter } from "../format/times.ts";
import type { Io } from "./io.ts";

/**
 * Prints the state of a budget below a table, or on stderr if stdout is for scripts: the amount spent, the projection, and
 * when the budget is used up.
 */
export async function writeBudget(io: Io, { budget, timeZone }: UsageReport, isCsv: boolean): Promise<void> {
  if (!budget) return;
  const { amountUsd, per, from, until, spentUsd, share, projectedUsd, exhausted } = budget;
  const time = createTimeFormatter(timeZone);
  const at = (moment: string | number) => time(new Date(moment));
  const when = (moment: string) => (per === "day" ? at(moment) : at(moment).slice(0, 10));
  const begin = at(from).slice(0, 10);
  const end = at(Date.parse(until) - 1).slice(0, 10);
  const amount = formatDollars(amountUsd).replace(/\.00$/, "");
  const facts = [
    `Budget ${amount}/${per}: ${formatDollars(spentUsd)} spent ${per === "day" ? "today" : `this ${per}`} (${formatPercent(share)}), since ${begin}`,
    `projected ${formatDollars(projectedUsd)} by ${end}`,
  ];
  const state = share >= 1 ? "used up" : "will be used up";
  if (exhausted !== undefined) facts.push(`${state} about ${when(exhausted)}`);
  const format = share >= 1 ? "red" : projectedUsd > amountUsd ? "yellow" : "green";
  const columns = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
  const lines = wrap(facts.join(", "), columns).map((line) => `${io.style(format, line)}\n`);
  if (io.isTerminal && !isCsv) await io.out(lines.join(""));
  else io.err(lines.join(""));
}
