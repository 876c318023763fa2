import { type Distribution, median, spread } from "./distribution.ts";

export type Unit = "ms" | "bytes" | "lines";

/** What a row is to reach, by its median: a ratio, or what was measured itself. */
export interface Goal {
  of: "ratio" | "measured";
  atMost?: number;
  atLeast?: number;
}

/** One thing measured against another of the same run: a row of the table. */
export interface Comparison {
  what: string;
  unit: Unit;
  /** The median of what was measured. */
  measured: number;
  against: string;
  /** The median of what it is measured against. */
  base: number;
  ratio: Distribution;
  /** What the ratio says: `as fast` is against / measured, the others are measured / against. */
  times: "as long" | "as fast" | "as much";
  goal?: Goal & { met: boolean };
}

export interface Measurements extends Pick<Comparison, "what" | "unit" | "against" | "times"> {
  /** One number a round. */
  measured: readonly number[];
  /** One number a round, or one for all rounds. */
  base: readonly number[];
  goal?: Goal | undefined;
}

/** Compares round by round, so that what slowed a whole round down, slowed both. */
export function compare({ measured, base, goal, ...row }: Measurements): Comparison {
  const one = median(base);
  const ratios = measured.map((value, round) => {
    const beside = base.length === measured.length ? (base[round] ?? one) : one;
    return row.times === "as fast" ? beside / value : value / beside;
  });
  const compared = { ...row, measured: median(measured), base: one, ratio: spread(ratios) };
  return goal ? { ...compared, goal: { ...goal, met: isMet(goal, compared) } } : compared;
}

function isMet({ of, atMost, atLeast }: Goal, { measured, ratio }: Comparison): boolean {
  const value = of === "ratio" ? ratio.median : measured;
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}
