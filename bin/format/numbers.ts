/** Numbers formatted for people and for scripts. */

import { formatInteger } from "../../src/format-count.ts";

/** Created on first use: `Intl` takes longer to load than a short command runs. */
let compact: Intl.NumberFormat | undefined;

/** `1,234,567`. */
export function formatNumber(value: number): string {
  return formatInteger(Math.round(value));
}

/** `9,876`, above that `98.8K` and `1.23M`: five columns at most, up to a thousand trillions. */
export function formatShortNumber(value: number): string {
  if (Math.abs(value) < 10_000) return formatNumber(value);
  compact ??= new Intl.NumberFormat("en-US", {
    notation: "compact",
    minimumSignificantDigits: 3,
    maximumSignificantDigits: 3,
  });
  return compact.format(value);
}

/** `$1,234.56`; below ten cents `$0.0042`, the order of magnitude of one model response. */
export function formatDollars(value: number): string {
  const amount = Math.abs(value);
  if (amount > 0 && amount < 0.00005) return "<$0.0001";
  return withSeparators(value, amount === 0 || amount >= 0.1 ? 2 : 4);
}

function withSeparators(value: number, decimals: number): string {
  const [dollars = "", cents] = Math.abs(value).toFixed(decimals).split(".");
  return `${value < 0 ? "-" : ""}$${dollars.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

/** `$1,234.56` for columns of costs: always two decimals, `<$0.01` for less than a cent. */
export function formatCents(value: number): string {
  return value > 0 && value < 0.01 ? "<$0.01" : withSeparators(value, 2);
}

/**
 * Formats the costs of a column, an axis or a chart to the same precision: to the cent, or to four decimals if all are below ten cents.
 *
 * @param largest the largest of them, in dollars
 */
export function createCostFormatter(largest: number): (value: number) => string {
  if (largest === 0 || largest >= 0.1) return formatCents;
  return (value) => (value > 0 && value < 0.00005 ? "<$0.0001" : withSeparators(value, 4));
}

/** Billionths of a dollar as dollars for scripts: exact, without signs, never `1e-9`. */
export function formatExactDollars(nanoDollars: number): string {
  const digits = String(Math.abs(nanoDollars)).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${nanoDollars < 0 ? "-" : ""}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

/** A fraction of 1 as `62%`. Only 0 is `0%`, and only 1 is `100%`. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share > 0.99 && share < 1) return ">99%";
  return `${formatNumber(share * 100)}%`;
}

/** Milliseconds as `850ms`, `12s`, `4m05s`, `3h12m`, `2d4h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const pad = (n: number) => String(n).padStart(2, "0");
  if (minutes < 1) return `${seconds}s`;
  if (hours < 1) return `${minutes}m${pad(seconds % 60)}s`;
  if (hours < 48) return `${hours}h${pad(minutes % 60)}m`;
  return `${formatNumber(Math.floor(hours / 24))}d${hours % 24}h`;
}
