/** Hits as text. */
import type { Hit, ScanHit } from "../../library/index.ts";
import { entryKind, isSummary } from "./entry-kinds.ts";
import { toSafe } from "./safe.ts";

/** A hit of a search, or of a scan. */
export type AnyHit = Hit | ScanHit;

/** One word for where a hit was found. */
export function getHitSource({ role, type, part }: Pick<AnyHit, "role" | "type" | "part">): string {
  if (part === "thinking") return part;
  if (role === "assistant") return part === "call" ? part : "assistant";
  return isSummary(type) ? "summary" : entryKind({ role, type });
}

/**
 * The first of some hits, and the others with a highlighted word that none before them has. Of a sentence, the rest mostly repeat its most
 * common word.
 */
export function hitsWithNewWords<H extends Pick<AnyHit, "snippet">>(hits: readonly H[]): H[] {
  const known = new Set<string>();
  return hits.filter(({ snippet: { text, ranges } }, n) => {
    const words = ranges.map(([start, end]) => text.slice(start, end).toLowerCase());
    const isNew = words.some((word) => !known.has(word));
    for (const word of words) known.add(word);
    return n === 0 || isNew;
  });
}

/** Hits by the number of different highlighted words, most first; otherwise in their order. */
export function mostWordsFirst<H extends Pick<AnyHit, "snippet">>(hits: readonly H[]): H[] {
  const countWords = ({ snippet: { text, ranges } }: H) =>
    new Set(ranges.map(([start, end]) => text.slice(start, end).toLowerCase())).size;
  return hits.toSorted((a, b) => countWords(b) - countWords(a));
}

/** A segment of a snippet: a match, or the text around it. */
export interface Segment {
  /** Safe for a terminal. */
  text: string;
  isMatch: boolean;
}

/** A snippet split into matches and the text around them. */
export function toSegments({ snippet: { text, ranges } }: Pick<AnyHit, "snippet">): Segment[] {
  const pieces: Segment[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    pieces.push({ text: toSafe(text.slice(from, start)), isMatch: false });
    pieces.push({ text: toSafe(text.slice(start, end)), isMatch: true });
    from = end;
  }
  return [...pieces, { text: toSafe(text.slice(from)), isMatch: false }];
}
