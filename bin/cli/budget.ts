import type { UsageReport } from "../../library/index.ts";
import { dollars, percent } from "../format/numbers.ts";
import { wrapped } from "../format/text.ts";
import { timesIn } from "../format/times.ts";
import type { Io } from "./io.ts";

/** How it goes with a budget: what is spent of it, where that leads, and when it is used up. */
export function budgetLines(io: Io, { budget, timeZone }: UsageReport): string {
  if (!budget) return "";
  const { amountUsd, per, from, until, spentUsd, share, projectedUsd, exhausted } = budget;
  const time = timesIn(timeZone);
  const at = (moment: string | number) => time(new Date(moment));
  const when = (moment: string) => (per === "day" ? at(moment) : at(moment).slice(0, 10));
  const begin = at(from).slice(0, 10);
  const end = at(Date.parse(until) - 1).slice(0, 10);
  const amount = dollars(amountUsd).replace(/\.00$/, "");
  const facts = [
    `Budget ${amount}/${per}: ${dollars(spentUsd)} spent (${percent(share)}) since ${begin}`,
    `projected ${dollars(projectedUsd)} by ${end}`,
    ...(exhausted === undefined
      ? []
      : [`${share >= 1 ? "used up" : "to be used up"} about ${when(exhausted)}`]),
  ];
  const format = share >= 1 ? "red" : projectedUsd > amountUsd ? "yellow" : "green";
  const columns = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
  return wrapped(facts.join(", "), columns)
    .map((line) => `${io.style(format, line)}\n`)
    .join("");
}
