import { expandPath } from "../src/session/locations.ts";
import { foldTag } from "../src/session/tags.ts";
import type { SessionCondition, SessionFlag } from "../src/store/conditions.ts";
import type { Filters } from "./options.ts";
import { extractTerms, type QueryNode } from "./query-tree.ts";

/** The condition that a session must satisfy to be listed or searched, without its times. */
export function toSessionCondition(filters: Filters): SessionCondition {
  const { cwd, project, model, subagents, archived, tags = [], except = [] } = filters;
  const of: SessionCondition[] = [];
  const addFlag = (flag: SessionFlag, value: boolean | undefined) => {
    if (value !== undefined) of.push({ kind: "flag", flag, value });
  };
  if (subagents !== "yes") addFlag("subagent", subagents === "only");
  if (cwd !== undefined) of.push({ kind: "cwd", path: expandPath(cwd) });
  if (project !== undefined) of.push({ kind: "project", project });
  if (model !== undefined) of.push({ kind: "model", text: model });
  if (filters.machine !== undefined) of.push({ kind: "machine", name: filters.machine });
  if (filters.person !== undefined) of.push({ kind: "person", name: filters.person });
  addFlag("named", filters.named);
  addFlag("labeled", filters.labeled);
  addFlag("pinned", filters.pinned);
  if (archived !== "yes") addFlag("archived", archived === "only");
  of.push(...tags.map((tag): SessionCondition => ({ kind: "tag", folded: foldTag(tag) })));
  addFlag("internal", filters.internal);
  addFlag("problems", filters.problems);
  if (except.length > 0) of.push({ kind: "except", sessions: except });
  return { kind: "all", of };
}

/**
 * The filters without the exclusions that a query contradicts: `is:archived` finds archived sessions, and `session:` the session that it
 * names, although lists exclude archived sessions and those of subagents by default.
 */
export function includeRequested<F extends Filters>(filters: F, nodes: readonly QueryNode[]): F {
  const fields = nodes
    .flatMap((node) => extractTerms(node))
    .flatMap(({ term, excluded }) => (term.kind === "field" && !excluded ? [term] : []));
  const isNamed = fields.some(({ field }) => field === "session");
  const asksForArchived = fields.some(
    ({ field, values }) => field === "is" && values.some(({ value }) => value === "archived"),
  );
  return {
    ...filters,
    ...(filters.archived === "no" && (isNamed || asksForArchived) && { archived: "yes" }),
    ...(filters.subagents === "no" && isNamed && { subagents: "yes" }),
  };
}

/** As `toSessionCondition`, with `since` and `until` as limits of the time of last modification. */
export function toListCondition(filters: Filters): SessionCondition {
  const { since, until } = filters;
  return { kind: "all", of: [toSessionCondition(filters), { kind: "modified", since, until }] };
}
