import { type EntryText, TEXT_PARTS, type TextPart } from "../../src/session/text.ts";
import type { LocationRow } from "../../src/store/entry-reads.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Hit, Snippet } from "../answers.ts";
import type { SearchTerm } from "../compile-query.ts";
import { HIT_PARTS, readLocationsWithCopies, toBaseHit } from "../entry-locations.ts";
import { createOpeningSnippet, findSnippet } from "../snippet/snippet.ts";
import type { Search } from "./prepare-search.ts";
import type { RankedHit } from "./rank.ts";

/** Hits by their ranked hit. Hits in changed files are omitted. */
export interface LoadedHits {
  hits: Map<RankedHit, Hit>;
  /** Ids of all copies of the hits. */
  copyIds: number[];
  changedFiles: string[];
}

/** Reads hits from their files and adds snippets with highlighted terms and the locations of copies. */
export async function loadHits(
  { db, scope, texts }: Search,
  ranked: readonly RankedHit[],
  termsOf: (hit: RankedHit) => readonly SearchTerm[],
): Promise<LoadedHits> {
  const ids = ranked.map(({ row }) => row.id);
  const places = await readLocationsWithCopies(new SqliteStore(db, scope), ids);
  await texts.readAt(ids.flatMap((id) => places.get(id)?.find(({ position }) => position === id) ?? []));
  const hits = new Map<RankedHit, Hit>();
  for (const hit of ranked) {
    const read = texts.get(hit.row.id);
    if (read) hits.set(hit, toHit(hit, read.place, read.text, places.get(hit.row.id) ?? [], termsOf(hit)));
  }
  const copyIds = ids.flatMap((id) => places.get(id) ?? []).map(({ position }) => position as number);
  return { hits, copyIds, changedFiles: [...texts.changedFiles] };
}

function toHit(
  { score, crossEntry, closestMatch }: RankedHit,
  place: LocationRow,
  text: EntryText,
  places: readonly LocationRow[],
  terms: readonly SearchTerm[],
): Hit {
  const { part, shown } = bestPart(text, terms);
  return {
    ...toBaseHit(place, places),
    crossEntry,
    part: HIT_PARTS[part],
    score,
    snippet: shown,
    ...closestMatch,
  };
}

/** The part of an entry that contains most of the query's terms, and its snippet. */
function bestPart(text: EntryText, terms: readonly SearchTerm[]): { part: TextPart; shown: Snippet } {
  const found = TEXT_PARTS.flatMap((part) => {
    const best = text[part] && terms.length > 0 ? findSnippet(text[part], terms) : undefined;
    return best ? [{ part, shown: best.snippet, terms: best.terms }] : [];
  });
  const [best] = found.sort((a, b) => b.terms - a.terms || b.shown.ranges.length - a.shown.ranges.length);
  if (best) return best;
  const part = TEXT_PARTS.find((name) => text[name]) ?? "said";
  return { part, shown: createOpeningSnippet(text[part]) };
}
