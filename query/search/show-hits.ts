import type { Kysely } from "kysely";
import type { Schema } from "../../src/database/schema.ts";
import type { EntryText, TextPart } from "../../src/session/text.ts";
import type { Hit, Snippet } from "../answers.ts";
import type { Match } from "../match.ts";
import type { Scope } from "../scope.ts";
import { opening, snippet } from "../snippet/snippet.ts";
import { isoTime } from "../tree.ts";
import type { EntryTexts } from "./entry-texts.ts";
import { copiesOf, type PlaceRow, placeOf } from "./places.ts";
import type { RankedHit } from "./rank.ts";

/** Hits as answers, by the ranked hit. Hits in files that changed are left out. */
export interface ShownHits {
  hits: Map<RankedHit, Hit>;
  /** The entries that are copies of those that are shown. */
  copyIds: number[];
  changedFiles: string[];
}

/** Reads hits back from their files, each with a snippet and with all places where forks have a copy of it. */
export async function showHits(
  db: Kysely<Schema>,
  scope: Scope,
  ranked: readonly RankedHit[],
  asked: Match,
  texts: EntryTexts,
): Promise<ShownHits> {
  const ids = ranked.map(({ row }) => row.id);
  await texts.read(ids);
  const copies = await copiesOf(db, scope, ids);
  const copyIds = [...copies.values()].flat().map(({ id }) => id);
  const hits = new Map<RankedHit, Hit>();
  for (const hit of ranked) {
    const read = texts.get(hit.row.id);
    if (read) hits.set(hit, hitOf(hit, read.place, read.text, copies.get(hit.row.id) ?? [], asked));
  }
  return { hits, copyIds, changedFiles: [...texts.changedFiles] };
}

const PARTS: readonly TextPart[] = ["said", "called", "output", "thought"];

function hitOf(
  { score, together }: RankedHit,
  place: PlaceRow,
  text: EntryText,
  copies: readonly PlaceRow[],
  { terms }: Match,
): Hit {
  const { part, shown } = bestPart(text, terms);
  const { path, sessionId, line, byteOffset, onCurrentBranch } = placeOf(place);
  return {
    path,
    sessionId,
    entryId: place.entry_id,
    line,
    byteOffset,
    type: place.type,
    role: place.role ?? undefined,
    timestamp: isoTime(place.timestamp),
    onCurrentBranch,
    alsoIn: copies.map(placeOf),
    together,
    part,
    score,
    snippet: shown,
  };
}

/** The part of an entry in which most of the query stands, with the place where it does. */
function bestPart(text: EntryText, terms: Match["terms"]): { part: TextPart; shown: Snippet } {
  const found = PARTS.flatMap((part): { part: TextPart; shown: Snippet }[] => {
    const shown = text[part] && terms.length > 0 ? snippet(text[part], terms) : undefined;
    return shown ? [{ part, shown }] : [];
  });
  const [best] = found.sort((a, b) => b.shown.ranges.length - a.shown.ranges.length);
  if (best) return best;
  const part = PARTS.find((name) => text[name]) ?? "said";
  return { part, shown: opening(text[part]) };
}
