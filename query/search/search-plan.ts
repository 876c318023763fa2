import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Scope } from "../../src/store/sqlite/scope.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import type { Clause, CompiledQuery } from "../compile-query.ts";
import { buildConditions } from "../field-condition.ts";
import { getFieldLevel } from "../fields.ts";
import type { Filters } from "../options.ts";
import { extractTerms, type QueryNode } from "../query-tree.ts";
import { allOf, sessionCondition, timeCondition } from "../sql-conditions.ts";
import type { HitConditions } from "./hits.ts";
import { COMMON_TERM_ENTRIES } from "./term-stats.ts";

/** The conditions of a query and its options. */
export interface SearchPlan {
  /** The whole query. */
  whole: HitConditions;
  /** The query with only the rare alternatives of its ORs; undefined if none is rare. */
  rareOnly: HitConditions | undefined;
  /** One clause, with the conditions that every hit satisfies. */
  forClause: (part: Clause) => HitConditions;
  /** Another FTS5 expression, not scored, with the conditions that every hit satisfies. */
  forExpression: (expression: string) => HitConditions;
  /** The conditions on sessions only. */
  sessionCondition: Sql<SqlBool>;
  /** Whether any filter or field excludes sessions or entries. */
  isNarrowed: boolean;
}

/** Builds the conditions of a query and its options, and looks up what fields refer to. @throws as `buildConditions` */
export async function planSearch(
  db: Reader,
  scope: Scope,
  { clauses, excluded, conditions: required }: Pick<CompiledQuery, "clauses" | "excluded" | "conditions">,
  options: Filters & { role?: string | undefined },
  counts: ReadonlyMap<Clause, number>,
  rareSides: ReadonlyMap<Clause, readonly string[]> = new Map(),
): Promise<SearchPlan> {
  const nodes = [...required, ...clauses.flatMap((part) => ("node" in part ? [part.node] : []))];
  const toCondition = await buildConditions(db, scope, nodes);
  const always: Sql<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
    ...(options.role === undefined ? [] : [sql<SqlBool>`entry.role = ${options.role}`]),
    ...required.map(toCondition),
    ...(clauses.length > 0 || hasTypeField(required) ? [] : [isContent]),
  ];
  const expressions = (some: readonly Clause[]) =>
    some.flatMap((part) => ("expression" in part ? [part.expression] : []));
  const toHitConditions = (some: readonly Clause[]): HitConditions => ({
    expressions: expressions(some),
    scored: expressions(some.filter((part) => (counts.get(part) ?? 0) < COMMON_TERM_ENTRIES)),
    excluded,
    conditions: [...always, ...some.flatMap((part) => ("node" in part ? [toCondition(part.node)] : []))],
  });
  const withRareSides = (part: Clause): Clause => {
    const sides = rareSides.get(part);
    return sides ? { kind: "words", expression: `(${sides.join(" OR ")})`, bounds: [] } : part;
  };
  const rare = (): HitConditions => {
    const weighed = clauses.filter(
      (part) => rareSides.has(part) || (counts.get(part) ?? 0) < COMMON_TERM_ENTRIES,
    );
    return {
      ...toHitConditions(clauses.map(withRareSides)),
      scored: expressions(weighed.map(withRareSides)),
    };
  };
  return {
    whole: toHitConditions(clauses),
    rareOnly: rareSides.size > 0 ? rare() : undefined,
    forClause: (part) => toHitConditions([part]),
    sessionCondition: allOf([
      sessionCondition(scope, options),
      ...required.filter(isOfSessions).map(toCondition),
    ]),
    isNarrowed: required.length > 0 || NARROWING.some((name) => options[name] !== undefined),
    forExpression: (expression) => ({ expressions: [expression], scored: [], excluded, conditions: always }),
  };
}

/** For queries without words: excludes entries that only record state. */
const isContent: Sql<SqlBool> = sql`entry.type NOT IN ('custom', 'model_change', 'thinking_level_change')`;

/** Options that exclude sessions or entries. */
const NARROWING = [
  "cwd",
  "project",
  "model",
  "since",
  "until",
  "named",
  "labeled",
  "pinned",
  "tags",
  "internal",
  "problems",
  "except",
  "role",
] as const;

/** Whether a condition applies to sessions only. */
function isOfSessions(node: QueryNode): boolean {
  return extractTerms(node).every(
    ({ term }) => term.kind === "field" && getFieldLevel(term.field) === "session",
  );
}

function hasTypeField(nodes: readonly QueryNode[]): boolean {
  return nodes
    .flatMap((node) => extractTerms(node))
    .some(({ term }) => "field" in term && term.field === "type");
}
