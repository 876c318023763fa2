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

/** A query and its options, as what rows must meet. */
export interface WantedBy {
  /** All of the query. */
  whole: Wanted;
  /** The same with the rare sides of each OR alone; undefined where none is rare. */
  rare: Wanted | undefined;
  /** One part of it, with all that every hit must meet. */
  part: (part: Part) => Wanted;
  /** Other words in place of its own, with all that every hit must meet. They are not weighed. */
  words: (expression: string) => Wanted;
  /** The conditions that only look at the session. */
  sessions: Sql<SqlBool>;
  /** Whether any filter or field leaves sessions or entries out. */
  isNarrowed: boolean;
}

/** Turns a query and its options into what rows must meet. Looks up what fields name. @throws as `conditions` */
export async function wantedBy(
  db: Reader,
  scope: Scope,
  { parts, excluded, conditions: asked }: Pick<Match, "parts" | "excluded" | "conditions">,
  options: Filters & { role?: string | undefined },
  counts: ReadonlyMap<Part, number>,
  rareSides: ReadonlyMap<Part, readonly string[]> = new Map(),
): Promise<WantedBy> {
  const nodes = [...asked, ...parts.flatMap((part) => ("node" in part ? [part.node] : []))];
  const toCondition = await conditions(db, scope, nodes);
  const always: Sql<SqlBool>[] = [
    sessionCondition(scope, options),
    timeCondition(sql`entry.timestamp`, options),
    ...(options.role === undefined ? [] : [sql<SqlBool>`entry.role = ${options.role}`]),
    ...asked.map(toCondition),
    ...(parts.length > 0 || asksForType(asked) ? [] : [isTold]),
  ];
  const expressions = (some: readonly Part[]) =>
    some.flatMap((part) => ("expression" in part ? [part.expression] : []));
  const wanted = (some: readonly Part[]): Wanted => ({
    expressions: expressions(some),
    weighed: expressions(some.filter((part) => (counts.get(part) ?? 0) < COMMON)),
    excluded,
    conditions: [...always, ...some.flatMap((part) => ("node" in part ? [toCondition(part.node)] : []))],
  });
  const rarely = (part: Part): Part => {
    const sides = rareSides.get(part);
    return sides ? { kind: "words", expression: `(${sides.join(" OR ")})`, bounds: [] } : part;
  };
  const rare = (): Wanted => {
    const weighed = parts.filter((part) => rareSides.has(part) || (counts.get(part) ?? 0) < COMMON);
    return { ...wanted(parts.map(rarely)), weighed: expressions(weighed.map(rarely)) };
  };
  return {
    whole: wanted(parts),
    rare: rareSides.size > 0 ? rare() : undefined,
    part: (part) => wanted([part]),
    sessions: allOf([sessionCondition(scope, options), ...asked.filter(isOfSessions).map(toCondition)]),
    isNarrowed: asked.length > 0 || NARROWING.some((name) => options[name] !== undefined),
    words: (expression) => ({ expressions: [expression], weighed: [], excluded, conditions: always }),
  };
}

/** Where fields alone are asked for, what agents note for themselves is no answer. */
const isTold: Sql<SqlBool> = sql`entry.type NOT IN ('custom', 'model_change', 'thinking_level_change')`;

/** Options that leave sessions or entries out. */
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

/** Whether a condition is met by sessions, whatever entry of theirs is looked at. */
function isOfSessions(node: QueryNode): boolean {
  if (node.kind === "field") return fieldLevel(node.field) === "session";
  if (node.kind === "text") return false;
  return node.kind === "not" ? isOfSessions(node.node) : node.nodes.every(isOfSessions);
}

function asksForType(nodes: readonly QueryNode[]): boolean {
  return nodes.some((node) => {
    if (node.kind === "field") return node.field === "type";
    if (node.kind === "text") return false;
    return asksForType(node.kind === "not" ? [node.node] : node.nodes);
  });
}
