import type { EntryCondition } from "../../src/store/conditions.ts";
import type { Position } from "../../src/store/position.ts";
import type { TextExpression } from "../../src/store/text-expression.ts";
import type { Search } from "./prepare-search.ts";
import { wholeRange } from "./ranges.ts";
import type { RankedHit, RankedSession } from "./rank.ts";

/** Maximum number of entries per word when one session is searched for a hit besides its title. */
const MAX_ROWS = 500;

/**
 * Moves title entries behind the hits of their session's conversation, because a title is not a useful place to start reading. If
 * only the title matches, adds the entry that contains most of the words.
 */
export async function moveTitlesLast(
  search: Search,
  sessions: readonly RankedSession[],
): Promise<RankedSession[]> {
  const words = search.compiled.clauses.flatMap((part) => (part.kind === "words" ? [part.expression] : []));
  return Promise.all(
    sessions.map(async (session) => {
      const titles = session.hits.filter(isTitle);
      if (titles.length === 0) return session;
      const others = session.hits.filter((hit) => !isTitle(hit));
      const isClosestMatch = titles.some(({ closestMatch }) => closestMatch !== undefined);
      if (others.length === 0 && words.length > 1 && !isClosestMatch) {
        others.push(...(await inConversation(search, words, session)));
      }
      return { ...session, hits: [...others, ...titles] };
    }),
  );
}

function isTitle({ row }: RankedHit): boolean {
  return row.type === "session_info";
}

const isNoTitle: EntryCondition = { kind: "not", of: { kind: "type", types: ["session_info"] } };

/** The entry of a session with most of the words; empty if only its title contains any. */
async function inConversation(
  { reads, plan, page }: Search,
  words: readonly TextExpression[],
  { fileId }: RankedSession,
): Promise<RankedHit[]> {
  const window = {
    size: MAX_ROWS,
    from: "newest",
    within: wholeRange(page.end),
    files: new Set([fileId]),
  } as const;
  const found = new Map<Position, RankedHit>();
  for (const each of words) {
    const conditions = plan.forText(each);
    const { rows } = await reads.findHits({ ...conditions, entry: [...conditions.entry, isNoTitle] }, window);
    for (const row of rows) {
      const known = found.get(row.position) ?? { row, copies: [], score: 0, crossEntry: true };
      found.set(row.position, { ...known, score: known.score + 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score || a.row.line - b.row.line).slice(0, 1);
}
