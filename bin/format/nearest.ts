/** The word somebody may have meant: the one with the fewest letters amiss, when those are few. */
export function nearest(meant: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, amiss: amiss(meant.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, amiss }) => amiss <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.amiss - b.amiss);
  return best?.word;
}

/** How many letters are missing, too many, others, or changed places with their neighbour. */
function amiss(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > other.length) return Number.POSITIVE_INFINITY; // and no long table
  const rows = [Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const areSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(rows, i - 1, j) + 1,
        at([row], 0, j - 1) + 1,
        at(rows, i - 1, j - 1) + (isSame ? 0 : 1),
        areSwapped ? at(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return at(rows, one.length, other.length);
}

const at = (rows: readonly number[][], i: number, j: number): number =>
  rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
