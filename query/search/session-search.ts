/** Queries that only filter sessions, such as `project:shop cost:>1`: answered from the list of sessions, not from their entries. */
import { PidexError } from "../../src/errors.ts";
import type { EntryCondition, SessionCondition } from "../../src/store/conditions.ts";
import type { SessionHits } from "../answers.ts";
import { readSessions } from "../session-info.ts";
import { ofSessionOnly } from "../session-only.ts";
import { loadHits } from "./load-hits.ts";
import type { Search } from "./prepare-search.ts";
import type { RankedHit } from "./rank.ts";
import { encodeSearchCursor } from "./search-cursor.ts";
import type { SearchOutcome } from "./search-outcome.ts";
import { isContent } from "./search-plan.ts";

interface SessionListResult extends SearchOutcome {
  sessions: SessionHits[];
}

/**
 * The sessions that satisfy a query, last modified first or in the requested order, each with its first message as its only hit. Undefined if the query restricts
 * entries too, or nothing matches, so that closest matches are looked for.
 */
export async function searchSessionList(search: Search): Promise<SessionListResult | undefined> {
  const { store, reads, options, page, request, plan, sessionSort } = search;
  const { limit, sort } = options;
  const condition = toSessionCondition(plan.whole);
  if (condition === undefined) assertHitSort(sessionSort);
  if (condition === undefined || options.facets || options.exact) return undefined;
  const total = await store.sessions.count(condition);
  if (total === 0) return undefined;
  const order = sort === "oldest" ? "oldest" : "newest";
  const wanted = {
    condition,
    order,
    pinnedFirst: false,
    after: undefined,
    limit: page.seen.size + limit,
  } as const;
  const rows =
    sessionSort === "cost"
      ? await (await import("../list-by-cost.ts")).listByCost(store, wanted)
      : await store.sessions.list({ ...wanted, sort: sessionSort ?? "modified" });
  const files = rows.map(({ file_id }) => file_id).filter((file) => !page.seen.has(file));
  const shown = files.slice(0, limit);
  const content = { texts: [], scored: [], excluded: [], session: ALL, entry: [isContent] };
  const first = await reads.findFirstEntries({ kind: "file", files: shown }, content, shown.length);
  const ranked = first.map((row): RankedHit => ({ row, copies: [], score: 0, crossEntry: false }));
  const { hits, changedFiles } = await loadHits(search, ranked, () => []);
  const hitOf = new Map(ranked.map((hit) => [hit.row.file_id, hits.get(hit)]));
  const infos = await readSessions(store, shown);
  if (options.costs) await (await import("../session-costs.ts")).addCosts(store, infos);
  if (options.models) await (await import("../session-models.ts")).addModels(store, infos);
  const seen = new Set([...page.seen, ...shown]);
  return {
    sessions: shown.flatMap((file) => {
      const session = infos.get(file);
      const hit = hitOf.get(file);
      return session ? [{ session, hits: hit ? [hit] : [], hitCount: hit ? 1 : 0 }] : [];
    }),
    hitCount: total,
    sessionCount: total,
    more: false,
    ...(seen.size < total && {
      next: encodeSearchCursor({ end: page.end, within: page.within, seen }, request),
    }),
    changedFiles,
  };
}

/** @throws PidexError `BAD_OPTION` for an order that hits don't have */
export function assertHitSort(sort: Search["sessionSort"]): void {
  if (sort === undefined) return;
  throw new PidexError(
    "BAD_OPTION",
    `only queries that filter sessions by fields are sorted by ${sort}`,
    'Sort words and filters of entries by "relevance", "newest" or "oldest".',
  );
}

const ALL: SessionCondition = { kind: "all", of: [] };

/** The conditions of a query as one on sessions; undefined if it has others. */
function toSessionCondition({
  texts,
  excluded,
  session,
  entry,
}: Search["plan"]["whole"]): SessionCondition | undefined {
  if (texts.length > 0 || excluded.length > 0) return undefined;
  const of = entry.filter((each) => each !== isContent && !isAlways(each));
  const condition = of.length === 0 ? undefined : ofSessionOnly({ kind: "all", of });
  return condition && { kind: "all", of: [session, condition] };
}

function isAlways(condition: EntryCondition): boolean {
  return condition.kind === "time" && condition.since === undefined && condition.until === undefined;
}
