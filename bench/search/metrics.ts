/** Deeper than this nobody looks: what comes later counts as not found. */
export const MAX_RANK = 20;

/** The rank of the first right answer, from 1; undefined when there is none. */
export function findRank<T>(answers: readonly T[], isRight: (answer: T) => boolean): number | undefined {
  const at = answers.slice(0, MAX_RANK).findIndex(isRight);
  return at === -1 ? undefined : at + 1;
}

export interface Scores {
  /** The share of questions with a right answer among the first five. */
  recallAt5: number;
  /** The mean reciprocal rank: 1 for a right answer that comes first, 1/2 for second, 0 for none. */
  mrr: number;
}

/** The scores of a set of ranks, one a question. */
export function computeScores(ranks: readonly (number | undefined)[]): Scores {
  const mean = (score: (rank: number | undefined) => number) =>
    ranks.length === 0 ? 0 : ranks.reduce((sum: number, rank) => sum + score(rank), 0) / ranks.length;
  return {
    recallAt5: mean((rank) => (rank !== undefined && rank <= 5 ? 1 : 0)),
    mrr: mean((rank) => (rank === undefined ? 0 : 1 / rank)),
  };
}
