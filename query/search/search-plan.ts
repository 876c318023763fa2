import type { EntryCondition, HitConditions } from "../../src/store/conditions.ts";
import type { Store } from "../../src/store/store.ts";
import type { TextExpression } from "../../src/store/text-expression.ts";
import type { Clause, CompiledQuery } from "../compile-query.ts";
import { buildConditions } from "../field-condition.ts";
import { includeRequested, toSessionCondition } from "../filter.ts";
import type { Filters } from "../options.ts";
import { extractTerms, type QueryNode } from "../query-tree.ts";

/** The conditions of a query and its options. */
export interface SearchPlan {
  /** The whole query. */
  whole: HitConditions;
  /** The query with only the rare alternatives of its ORs; undefined if none is rare. */
  rareOnly: HitConditions | undefined;
  /** One clause, with the conditions that every hit satisfies. */
  forClause: (part: Clause) => HitConditions;
  /** Another text, not scored, with the conditions that every hit satisfies. */
  forText: (text: TextExpression) => HitConditions;
  /** The conditions that every hit satisfies, but for its text. */
  always: Pick<HitConditions, "session" | "entry">;
  /** Whether any filter or field excludes sessions or entries. */
  isNarrowed: boolean;
}

/**
 * Builds the conditions of a query and its options, and looks up what fields refer to.
 *
 * @param common clauses that are not scored
 * @throws as `buildConditions`
 */
export async function planSearch(
  store: Store,
  { clauses, excluded, conditions: required }: Pick<CompiledQuery, "clauses" | "excluded" | "conditions">,
  options: Filters & { role?: string | undefined },
  common: ReadonlySet<Clause>,
  rareSides: ReadonlyMap<Clause, readonly TextExpression[]> = new Map(),
): Promise<SearchPlan> {
  const nodes = [...required, ...clauses.flatMap((part) => ("node" in part ? [part.node] : []))];
  const toCondition = await buildConditions(store, nodes);
  const { since, until, role } = options;
  const session = toSessionCondition(includeRequested(options, nodes));
  const always: EntryCondition[] = [
    { kind: "time", since, until },
    ...(role === undefined ? [] : [{ kind: "role", role } as const]),
    ...required.map(toCondition),
    ...(clauses.length > 0 || hasTypeField(required) ? [] : [isContent]),
  ];
  const texts = (some: readonly Clause[]) =>
    some.flatMap((part) => ("expression" in part ? [part.expression] : []));
  const toHitConditions = (some: readonly Clause[]): HitConditions => ({
    texts: texts(some),
    scored: texts(some.filter((part) => !common.has(part))),
    excluded,
    session,
    entry: [...always, ...some.flatMap((part) => ("node" in part ? [toCondition(part.node)] : []))],
  });
  const withRareSides = (part: Clause): Clause => {
    const sides = rareSides.get(part);
    return sides ? { kind: "words", expression: { kind: "any", of: sides }, bounds: [] } : part;
  };
  const rare = (): HitConditions => {
    const weighed = clauses.filter((part) => rareSides.has(part) || !common.has(part));
    return {
      ...toHitConditions(clauses.map(withRareSides)),
      scored: texts(weighed.map(withRareSides)),
    };
  };
  return {
    whole: toHitConditions(clauses),
    rareOnly: rareSides.size > 0 ? rare() : undefined,
    forClause: (part) => toHitConditions([part]),
    isNarrowed: required.length > 0 || NARROWING.some((name) => options[name] !== undefined),
    forText: (text) => ({ texts: [text], scored: [], excluded, session, entry: always }),
    always: { session, entry: always },
  };
}

/** For queries without words: excludes entries that only record state. */
export const isContent: EntryCondition = {
  kind: "not",
  of: { kind: "type", types: ["custom", "model_change", "thinking_level_change"] },
};

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

function hasTypeField(nodes: readonly QueryNode[]): boolean {
  return nodes
    .flatMap((node) => extractTerms(node))
    .some(({ term }) => "field" in term && term.field === "type");
}
