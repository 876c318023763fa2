import { type Distribution, median, toDistribution } from "./distribution.ts";

export type Unit = "ms" | "bytes" | "lines";

/** The target for a row's median ratio or median measurement. */
export interface Goal {
  of: "ratio" | "measured";
  atMost?: number;
  atLeast?: number;
}

/** A measurement compared with another of the same run: a row of a table. */
export interface Comparison {
  what: string;
  unit: Unit;
  /** Median of the measurements. */
  measured: number;
  against: string;
  /** Median of the measurements it is compared with. */
  base: number;
  ratio: Distribution;
  /** Meaning of the ratio: `as fast` is against / measured, the others are measured / against. */
  times: "as long" | "as fast" | "as much";
  goal?: Goal & { met: boolean };
}

export interface Measurements extends Pick<Comparison, "what" | "unit" | "against" | "times"> {
  /** One number per round. */
  measured: readonly number[];
  /** One number per round, or one for all rounds. */
  base: readonly number[];
  goal?: Goal | undefined;
}

/** Compares round by round, so that load on the machine affects both sides alike. */
export function compare({ measured, base, goal, ...row }: Measurements): Comparison {
  const baseMedian = median(base);
  const ratios = measured.map((value, round) => {
    const roundBase = base.length === measured.length ? (base[round] ?? baseMedian) : baseMedian;
    return row.times === "as fast" ? roundBase / value : value / roundBase;
  });
  const comparison = { ...row, measured: median(measured), base: baseMedian, ratio: toDistribution(ratios) };
  return goal ? { ...comparison, goal: { ...goal, met: isMet(goal, comparison) } } : comparison;
}

function isMet({ of, atMost, atLeast }: Goal, { measured, ratio }: Comparison): boolean {
  const value = of === "ratio" ? ratio.median : measured;
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}
