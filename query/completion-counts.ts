/** The sessions that a view shows, in which completions are counted. */
import { PidexError } from "../src/errors.ts";
import type { SessionCondition } from "../src/store/conditions.ts";
import type { Store } from "../src/store/store.ts";
import { buildConditions } from "./field-condition.ts";
import { type FieldName, getFieldLevel } from "./fields.ts";
import { includeRequested, toSessionCondition } from "./filter.ts";
import { CompleteOptions, parseOptions } from "./options.ts";
import { parseQuery } from "./parse-query.ts";
import { extractTerms, type QueryNode } from "./query-tree.ts";
import { ofSessionOnly } from "./session-only.ts";

export interface View {
  /** The sessions with the values that are offered. */
  condition: SessionCondition;
  /**
   * Counts the sessions that the query finds with a value of the field that is completed; undefined for a field of entries: its values
   * are counted as they are listed. Absent if the counts take a search.
   */
  count?: (field: FieldName, value: string) => Promise<number | undefined>;
}

/**
 * The sessions that a view shows: those of its filters, and of the query without the term before the cursor if that consists of fields of
 * sessions.
 *
 * @throws PidexError `BAD_OPTION`
 */
export async function planView(
  store: Store,
  query: string,
  at: number,
  view: CompleteOptions,
): Promise<View> {
  const filters = parseOptions(CompleteOptions, view);
  const others = splitOthers(query, at);
  const ofFilters = toSessionCondition(includeRequested(filters, others ?? []));
  const isDated = filters.since !== undefined || filters.until !== undefined; // times are those of entries
  const ofOthers = others && (await toCondition(store, others));
  if (!ofOthers || isDated) return { condition: ofFilters };
  const condition: SessionCondition = { kind: "all", of: [ofFilters, ofOthers] };
  const count = async (field: FieldName, value: string) => {
    if (getFieldLevel(field) !== "session") return undefined;
    const span = { start: 0, end: 0 };
    const values = [{ value, text: value, ...span }];
    const ofValue = await toCondition(store, [{ kind: "field", field, values, ...span }]);
    return ofValue && store.sessions.count({ kind: "all", of: [condition, ofValue] });
  };
  return { condition, count };
}

/** The other terms of a query, all of which a hit satisfies; undefined if the term before the cursor is excluded, or not its own condition. */
function splitOthers(query: string, at: number): readonly QueryNode[] | undefined {
  const before = parseQuery(query.slice(0, at), { lenient: true });
  const term = before.terms.at(-1)?.term;
  const nodes = toNodes(before.root);
  if (!term || nodes.at(-1) !== term || (term.kind === "field" && term.values.length > 1)) return undefined;
  const after = query.slice(at);
  if (/^\S|^\s*OR\b/.test(after)) return undefined; // it goes on, or is an alternative
  return [...nodes.slice(0, -1), ...toNodes(parseQuery(after, { lenient: true }).root)];
}

function toNodes(root: QueryNode | undefined): readonly QueryNode[] {
  if (!root) return [];
  return root.kind === "and" ? root.nodes : [root];
}

/** The condition of fields of sessions; undefined if others are among them, or they cannot be looked up. */
async function toCondition(store: Store, nodes: readonly QueryNode[]): Promise<SessionCondition | undefined> {
  const terms = nodes.flatMap((node) => extractTerms(node));
  if (terms.some(({ term }) => term.kind !== "field" || term.incomplete)) return undefined;
  try {
    const toEntryCondition = await buildConditions(store, nodes);
    const of = nodes.map((node) => ofSessionOnly(toEntryCondition(node)));
    return of.every((each) => each !== undefined) ? { kind: "all", of } : undefined;
  } catch (error) {
    if (error instanceof PidexError) return undefined; // the search reports it
    throw error;
  }
}
