import { distance } from "fastest-levenshtein";

/** Returns the closest word within an edit distance of 2, or 1 for words of fewer than four letters. Ignores case. */
export function findNearestWord(word: string, words: readonly string[]): string | undefined {
  const mistyped = word.toLowerCase();
  let best: string | undefined;
  let fewest = mistyped.length < 4 ? 1 : 2;
  for (const candidate of words) {
    const edits = distance(mistyped, candidate.toLowerCase());
    if (edits < fewest || (edits === fewest && best === undefined)) [best, fewest] = [candidate, edits];
  }
  return best;
}
