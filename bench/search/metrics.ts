/** Results after this rank count as not found. */
export const MAX_RANK = 20;

/** Rank of the first right result, from 1; undefined if there is none. */
export function findRank<T>(results: readonly T[], isRight: (result: T) => boolean): number | undefined {
  const at = results.slice(0, MAX_RANK).findIndex(isRight);
  return at === -1 ? undefined : at + 1;
}

export interface Scores {
  /** Share of questions with a right result among the first five. */
  recallAt5: number;
  /** Mean reciprocal rank: 1 if the first result is right, 1/2 if the second is, 0 if none is. */
  mrr: number;
}

/** @param ranks one per question */
export function computeScores(ranks: readonly (number | undefined)[]): Scores {
  const mean = (score: (rank: number | undefined) => number) =>
    ranks.length === 0 ? 0 : ranks.reduce((sum: number, rank) => sum + score(rank), 0) / ranks.length;
  return {
    recallAt5: mean((rank) => (rank !== undefined && rank <= 5 ? 1 : 0)),
    mrr: mean((rank) => (rank === undefined ? 0 : 1 / rank)),
  };
}
