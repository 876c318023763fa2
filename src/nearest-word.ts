import { distance } from "fastest-levenshtein";

/**
 * Returns the closest word, ignoring case: within one edit, or two for words of six letters or more. Swapping two neighboring letters is
 * one edit. Words of one or two letters have no closest word, because most short words differ by one letter.
 */
export function findNearestWord(word: string, words: readonly string[]): string | undefined {
  const mistyped = word.toLowerCase();
  if (mistyped.length < 3) return undefined;
  let best: string | undefined;
  let fewest = mistyped.length < 6 ? 1 : 2;
  for (const candidate of words) {
    const edits = countEdits(mistyped, candidate.toLowerCase());
    if (edits < fewest || (edits === fewest && best === undefined)) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** The Levenshtein distance, in which one swap of neighboring letters counts once. */
function countEdits(from: string, to: string): number {
  let fewest = distance(from, to);
  for (let n = 1; n < from.length && fewest > 1; n++) {
    const swapped = `${from.slice(0, n - 1)}${from[n]}${from[n - 1]}${from.slice(n + 1)}`;
    fewest = Math.min(fewest, 1 + distance(swapped, to));
  }
  return fewest;
}
