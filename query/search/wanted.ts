import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { conditions } from "../field-condition.ts";
import { fieldLevel } from "../fields.ts";
import { allOf, sessionCondition, timeCondition } from "../filter.ts";
import type { Match, Part } from "../match.ts";
import type { Filters } from "../options.ts";
import type { QueryNode } from "../query-tree.ts";
import type { Scope } from "../scope.ts";
import type { Wanted } from "./hits.ts";
import { COMMON } from "./survey.ts";

/** The conditions of a query and its options. */
export interface WantedBy {
  /** The whole query. */
  whole: Wanted;
  /** The query with only the rare alternatives of its ORs; undefined if none is rare. */
  rare: Wanted | undefined;
  /** One clause, with the conditions that every hit satisfies. */
  part: (part: Part) => Wanted;
  /** Another FTS5 expression, not scored, with the conditions that every hit satisfies. */
  words: (expression: string) => Wanted;
  /** The conditions on sessions only. */
  sessions: Sql<SqlBool>;
  /** Whether any filter or field excludes sessions or entries. */
  isNarrowed: boolean;
}

/** Builds the conditions of a query and its options, and looks up what fields refer to. @throws as `buildConditions` */
export async function wantedBy(
  db: Reader,
  scope: Scope,
  { parts, excluded, conditions: required }: Pick<Match, "parts" | "excluded" | "conditions">,
  options: Filters & { role?: string | undefined },
  counts: ReadonlyMap<Part, number>,
  rareSides: ReadonlyMap<Part, readonly string[]> = new Map(),
): Promise<WantedBy> {
  const nodes = [...required, ...parts.flatMap((part) => ("node" in part ? [part.node] : []))];
  const toCondition = await conditions(db, scope, nodes);
  const always: Sql<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
    ...(options.role === undefined ? [] : [sql<SqlBool>`entry.role = ${options.role}`]),
    ...required.map(toCondition),
    ...(parts.length > 0 || hasTypeField(required) ? [] : [isContent]),
  ];
  const expressions = (some: readonly Part[]) =>
    some.flatMap((part) => ("expression" in part ? [part.expression] : []));
  const toHitConditions = (some: readonly Part[]): Wanted => ({
    expressions: expressions(some),
    weighed: expressions(some.filter((part) => (counts.get(part) ?? 0) < COMMON)),
    excluded,
    conditions: [...always, ...some.flatMap((part) => ("node" in part ? [toCondition(part.node)] : []))],
  });
  const withRareSides = (part: Part): Part => {
    const sides = rareSides.get(part);
    return sides ? { kind: "words", expression: `(${sides.join(" OR ")})`, bounds: [] } : part;
  };
  const rare = (): Wanted => {
    const weighed = parts.filter((part) => rareSides.has(part) || (counts.get(part) ?? 0) < COMMON);
    return { ...toHitConditions(parts.map(withRareSides)), weighed: expressions(weighed.map(withRareSides)) };
  };
  return {
    whole: toHitConditions(parts),
    rare: rareSides.size > 0 ? rare() : undefined,
    part: (part) => toHitConditions([part]),
    sessions: allOf([sessionCondition(scope, options), ...required.filter(isOfSessions).map(toCondition)]),
    isNarrowed: required.length > 0 || NARROWING.some((name) => options[name] !== undefined),
    words: (expression) => ({ expressions: [expression], weighed: [], excluded, conditions: always }),
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
  "labelled",
  "pinned",
  "tags",
  "internal",
  "problems",
  "except",
  "role",
] as const;

/** Whether a condition applies to sessions only. */
function isOfSessions(node: QueryNode): boolean {
  if (node.kind === "field") return fieldLevel(node.field) === "session";
  if (node.kind === "text") return false;
  return node.kind === "not" ? isOfSessions(node.node) : node.nodes.every(isOfSessions);
}

function hasTypeField(nodes: readonly QueryNode[]): boolean {
  return nodes.some((node) => {
    if (node.kind === "field") return node.field === "type";
    if (node.kind === "text") return false;
    return hasTypeField(node.kind === "not" ? [node.node] : node.nodes);
  });
}
