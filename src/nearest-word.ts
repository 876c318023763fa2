import { distance } from "fastest-levenshtein";

/** Returns the word that a misspelled one probably means, in any case: at most two letters off, one in words below four. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const mistyped = word.toLowerCase();
  let best: string | undefined;
  let fewest = mistyped.length < 4 ? 1 : 2;
  for (const each of words) {
    const edits = distance(mistyped, each.toLowerCase());
    if (edits < fewest || (edits === fewest && best === undefined)) [best, fewest] = [each, edits];
  }
  return best;
}
