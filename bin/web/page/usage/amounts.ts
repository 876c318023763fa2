/** Cost or tokens: what the charts measure. */
import { createCostFormatter, formatShortNumber } from "../../../format/numbers.ts";
import type { Figures } from "./usage-table.tsx";

/** A formatter for the values of a chart, up to the largest. */
export type AmountFormatter = (largest: number) => (value: number) => string;

interface Measure {
  getAmount: (figures: Figures) => number;
  createFormatter: AmountFormatter;
}

const COST: Measure = { getAmount: ({ costUsd }) => costUsd, createFormatter: createCostFormatter };
const TOKENS: Measure = { getAmount: ({ tokens }) => tokens.total, createFormatter: () => formatShortNumber };

/** @param measure the one in the address */
export function getMeasure(measure: string): Measure {
  return measure === "cost" ? COST : TOKENS;
}
