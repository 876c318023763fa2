import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Schema } from "../../src/database/schema.ts";
import { conditions } from "../field-condition.ts";
import { sessionCondition, timeCondition } from "../filter.ts";
import type { Match, Part } from "../match.ts";
import type { Filters } from "../options.ts";
import type { QueryNode } from "../parse-query.ts";
import type { Scope } from "../scope.ts";
import type { Wanted } from "./hits.ts";

/** A query and its options, as what rows must meet. */
export interface WantedBy {
  /** All of the query. */
  whole: Wanted;
  /** One part of it, with all that every hit must meet. */
  part: (part: Part) => Wanted;
}

/** Turns a query and its options into what rows must meet. Looks up what fields name. @throws as `conditions` */
export async function wantedBy(
  db: Kysely<Schema>,
  scope: Scope,
  { parts, excluded, conditions: asked }: Match,
  options: Filters & { role?: string | undefined },
): Promise<WantedBy> {
  const nodes = [...asked, ...parts.flatMap((part) => ("node" in part ? [part.node] : []))];
  const toCondition = await conditions(db, scope, nodes);
  const always: RawBuilder<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
    ...(options.role === undefined ? [] : [sql<SqlBool>`entry.role = ${options.role}`]),
    ...asked.map(toCondition),
    ...(parts.length > 0 || asksForType(asked) ? [] : [isTold]),
  ];
  const wanted = (some: readonly Part[]): Wanted => ({
    expressions: some.flatMap((part) => ("expression" in part ? [part.expression] : [])),
    excluded,
    conditions: [...always, ...some.flatMap((part) => ("node" in part ? [toCondition(part.node)] : []))],
  });
  return { whole: wanted(parts), part: (part) => wanted([part]) };
}

/** Where fields alone are asked for, what agents note for themselves is no answer. */
const isTold: RawBuilder<SqlBool> = sql`entry.type NOT IN ('custom', 'model_change', 'thinking_level_change')`;

function asksForType(nodes: readonly QueryNode[]): boolean {
  return nodes.some((node) => {
    if (node.kind === "field") return node.field === "type";
    if (node.kind === "text") return false;
    return asksForType(node.kind === "not" ? [node.node] : node.nodes);
  });
}
