/** The query of a list: conditions on sessions, in the language of searches. */
import { PidexError } from "../src/errors.ts";
import type { SessionCondition } from "../src/store/conditions.ts";
import type { Store } from "../src/store/store.ts";
import { compileQuery } from "./compile-query.ts";
import { buildConditions } from "./field-condition.ts";
import { includeRequested, toListCondition } from "./filter.ts";
import type { Filters } from "./options.ts";
import { ofSessionOnly } from "./session-only.ts";

/**
 * The condition of a list with a query, and with its other filters.
 *
 * @throws PidexError `BAD_QUERY` for an invalid query, `BAD_OPTION` for one that names words or filters entries
 */
export async function toQueryCondition(
  store: Store,
  query: string,
  filters: Filters,
): Promise<SessionCondition> {
  const { clauses, excluded, conditions } = compileQuery(query);
  const nodes = [...conditions, ...clauses.flatMap((clause) => ("node" in clause ? [clause.node] : []))];
  const toCondition = await buildConditions(store, nodes);
  const hasWords = excluded.length > 0 || nodes.length < clauses.length + conditions.length;
  const condition = hasWords ? undefined : ofSessionOnly({ kind: "all", of: nodes.map(toCondition) });
  if (condition === undefined)
    throw new PidexError(
      "BAD_OPTION",
      "the query of a list has words or fields of entries",
      "A list is filtered by fields of sessions, such as project: and cost:. Search for words, role: and tool:.",
    );
  return { kind: "all", of: [toListCondition(includeRequested(filters, nodes)), condition] };
}
