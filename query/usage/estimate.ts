/** What events without a recorded cost would have cost. */
export interface Estimate {
  nanoUsd: number;
  /** Tokens of such events with a model whose price is unknown. */
  unpricedTokens: number;
}

export const NO_ESTIMATE: Estimate = { nanoUsd: 0, unpricedTokens: 0 };

export function addEstimates(estimates: readonly (Estimate | undefined)[]): Estimate {
  return estimates.reduce<Estimate>(
    (total, each) => ({
      nanoUsd: total.nanoUsd + (each?.nanoUsd ?? 0),
      unpricedTokens: total.unpricedTokens + (each?.unpricedTokens ?? 0),
    }),
    NO_ESTIMATE,
  );
}
