import { type EntryText, TEXT_PARTS, type TextPart } from "../../src/session/text.ts";
import type { LocationRow } from "../../src/store/entry-reads.ts";
import type { Position } from "../../src/store/position.ts";
import type { Hit, Snippet } from "../answers.ts";
import type { SearchTerm } from "../compile-query.ts";
import { HIT_PARTS, readLocationsWithCopies, toBaseHit } from "../entry-locations.ts";
import { createOpeningSnippet, findSnippet } from "../snippet/snippet.ts";
import type { Search } from "./prepare-search.ts";
import type { RankedHit } from "./rank.ts";

/** Hits by their ranked hit. Hits in changed files are omitted. */
export interface LoadedHits {
  hits: Map<RankedHit, Hit>;
  /** The hits and all of their copies. */
  copyPositions: Position[];
  changedFiles: string[];
}

/** Reads hits from their files and adds snippets with highlighted terms and the locations of copies. */
export async function loadHits(
  { store, texts, options: { snippetLength } }: Search,
  ranked: readonly RankedHit[],
  termsOf: (hit: RankedHit) => readonly SearchTerm[],
): Promise<LoadedHits> {
  const positions = ranked.map(({ row }) => row.position);
  const places = await readLocationsWithCopies(store, positions);
  await texts.readAt(
    positions.flatMap((each) => places.get(each)?.find(({ position }) => position === each) ?? []),
  );
  const hits = new Map<RankedHit, Hit>();
  for (const hit of ranked) {
    const { position } = hit.row;
    const read = texts.get(position);
    if (!read) continue;
    const shown = bestPart(read.text, termsOf(hit), snippetLength);
    hits.set(hit, toHit(hit, read.place, places.get(position) ?? [], shown));
  }
  const copyPositions = positions.flatMap((each) => places.get(each) ?? []).map(({ position }) => position);
  return { hits, copyPositions, changedFiles: [...texts.changedFiles] };
}

interface ShownPart {
  part: TextPart;
  shown: Snippet;
}

function toHit(
  { score, crossEntry, closestMatch }: RankedHit,
  place: LocationRow,
  places: readonly LocationRow[],
  { part, shown }: ShownPart,
): Hit {
  return {
    ...toBaseHit(place, places),
    crossEntry,
    part: HIT_PARTS[part],
    score,
    snippet: shown,
    ...closestMatch,
  };
}

/** The part of an entry that contains the query's terms of the greatest weight, and its snippet. */
function bestPart(text: EntryText, terms: readonly SearchTerm[], snippetLength: number): ShownPart {
  const found = TEXT_PARTS.flatMap((part) => {
    const best = text[part] && terms.length > 0 ? findSnippet(text[part], terms, snippetLength) : undefined;
    return best ? [{ part, shown: best.snippet, weight: best.weight }] : [];
  });
  const [best] = found.sort((a, b) => b.weight - a.weight || b.shown.ranges.length - a.shown.ranges.length);
  if (best) return best;
  const part = TEXT_PARTS.find((name) => text[name]) ?? "said";
  return { part, shown: createOpeningSnippet(text[part], snippetLength) };
}
