import { type Distribution, median, spread } from "./distribution.ts";

export type Unit = "ms" | "bytes" | "lines";

/** The target of a row's median: of its ratio, or of the measurement itself. */
export interface Goal {
  of: "ratio" | "measured";
  atMost?: number;
  atLeast?: number;
}

/** A measurement compared with another of the same run: a row of the table. */
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
