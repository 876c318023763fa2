import { agentDetector } from "../src/session/agents.ts";
import { expandPath } from "../src/session/locations.ts";
import { foldTag } from "../src/session/tags.ts";
import type { EntryCondition, SessionCondition, SessionFlag } from "../src/store/conditions.ts";
import type { TextKind } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import { toTextExpression } from "./compile-query.ts";
import { type FieldName, parseFieldRange } from "./fields.ts";
import { findMatchingPaths } from "./paths.ts";
import { extractFieldValues, type QueryNode } from "./query-tree.ts";
import { isPath, resolveSession } from "./resolve-session.ts";

/** Ids that must be looked up before a condition can be built, by the field value that needs them. */
interface Lookups {
  /** Ids of paths. */
  files: ReadonlyMap<string, readonly number[]>;
  names: ReadonlyMap<string, readonly string[]>;
  titles: ReadonlyMap<string, readonly string[]>;
  labels: ReadonlyMap<string, readonly string[]>;
  /** Ids of files. */
  agents: ReadonlyMap<string, readonly number[]>;
  last: readonly number[];
  /** Ids of files. */
  costs: ReadonlyMap<string, readonly number[]>;
}

/** Turns query nodes into conditions on entries. */
export type ToCondition = (node: QueryNode) => EntryCondition;

/**
 * Looks up what the nodes refer to (files, names, the last session) and returns a function that turns nodes into conditions.
 *
 * @throws PidexError `BAD_OPTION` for an invalid path, `NOT_FOUND` for `session:@last` in an empty index
 */
export async function buildConditions(store: Store, nodes: readonly QueryNode[]): Promise<ToCondition> {
  const valuesOf = (field: FieldName) => nodes.flatMap((node) => extractFieldValues(node, field));
  const files = new Map<string, number[]>();
  for (const value of valuesOf("file")) files.set(value, await findMatchingPaths(store, value));
  const needsLast = valuesOf("session").includes("@last");
  const last = needsLast ? [(await resolveSession(store, "@last")).fileId] : [];
  const lookups = {
    files,
    names: await textsContaining(store, "name", valuesOf("name")),
    titles: await textsContaining(store, "title", valuesOf("title")),
    labels: await textsContaining(store, "label", valuesOf("label")),
    agents: await filesOfAgents(store, valuesOf("agent")),
    last,
    costs: await filesByCost(store, valuesOf("cost")),
  };
  return (node) => condition(node, lookups);
}

/** The names, titles or labels that contain each value, ignoring case and accents. Databases cannot compare without accents. */
async function textsContaining(
  store: Store,
  of: TextKind,
  values: readonly string[],
): Promise<Map<string, string[]>> {
  if (values.length === 0) return new Map();
  const texts = await (await store.entries()).listTexts(of);
  const folded = texts.map((text) => ({ text, bare: bare(text) }));
  return new Map(
    values.map((value) => [
      value,
      folded.filter((each) => each.bare.includes(bare(value))).map(({ text }) => text),
    ]),
  );
}

/** The ids of each agent's files. The agent is derived from the file's path. */
async function filesOfAgents(store: Store, agents: readonly string[]): Promise<Map<string, number[]>> {
  if (agents.length === 0) return new Map();
  const rows = await (await store.entries()).listFiles();
  const detect = agentDetector();
  const files = Map.groupBy(rows, ({ path }) => detect(path)?.toLowerCase());
  return new Map(
    agents.map((agent) => [agent, (files.get(agent.toLowerCase()) ?? []).map(({ file }) => file)]),
  );
}

/** The ids of the files with a cost in each range. Costs are sums of the ledger, not a column of sessions. */
async function filesByCost(store: Store, ranges: readonly string[]): Promise<Map<string, number[]>> {
  if (ranges.length === 0) return new Map();
  const costs = await (await store.usage()).sessionCosts();
  const files = await store.sessions.findFiles({ kind: "all", of: [] });
  return new Map(
    ranges.map((range) => {
      const { min = 0, max = Number.POSITIVE_INFINITY } = parseFieldRange("cost", range) ?? {};
      const isWithin = (cost: number) => cost >= min && cost <= max;
      return [range, files.filter((file) => isWithin(costs.get(file) ?? 0))];
    }),
  );
}

function bare(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function condition(node: QueryNode, lookups: Lookups): EntryCondition {
  const text = toTextExpression(node);
  if (text !== undefined) return { kind: "text", text };
  switch (node.kind) {
    case "field":
      return anyOf(node.values.map(({ value }) => fieldCondition(node.field, value, lookups)));
    case "not":
      return { kind: "not", of: condition(node.node, lookups) };
    case "or":
      return anyOf(node.nodes.map((each) => condition(each, lookups)));
    case "and":
      return { kind: "all", of: node.nodes.map((each) => condition(each, lookups)) };
    default:
      return anyOf([]); // a text without words, which `compileQuery` removes
  }
}

function fieldCondition(field: FieldName, value: string, lookups: Lookups): EntryCondition {
  switch (field) {
    case "role":
      return { kind: "role", role: value };
    case "type":
      return { kind: "type", types: [value] };
    case "tool":
      return { kind: "tool", tool: value };
    case "is":
      if (value === "error") return { kind: "failed" };
      if (value === "current") return { kind: "current" };
      return ofSession({ kind: "flag", flag: value as SessionFlag, value: true });
    case "since":
      return { kind: "time", since: Number(value) };
    case "until":
      return { kind: "time", until: Number(value) };
    case "file":
      return { kind: "paths", paths: lookups.files.get(value) ?? [] };
    case "label":
      return { kind: "label", labels: lookups.labels.get(value) ?? [] };
    case "name":
      return ofSession({ kind: "name", names: lookups.names.get(value) ?? [] });
    case "title":
      return ofSession({ kind: "title", titles: lookups.titles.get(value) ?? [] });
    case "tag":
      return ofSession({ kind: "tag", folded: foldTag(value) });
    case "project":
      return ofSession({ kind: "project", project: value });
    case "cwd":
      return ofSession({ kind: "cwd", path: expandPath(value) });
    case "agent":
      return ofSession({ kind: "file", files: lookups.agents.get(value) ?? [] });
    case "model":
      return ofSession({ kind: "model", text: value });
    case "provider":
      return ofSession({ kind: "provider", text: value });
    case "cost":
      return ofSession({ kind: "file", files: lookups.costs.get(value) ?? [] });
    case "messages":
      return ofSession({ kind: "messages", ...parseFieldRange("messages", value) });
    case "machine":
    case "person":
      return ofSession({ kind: field, name: value });
    case "session":
      if (value === "@last") return { kind: "file", files: lookups.last };
      if (isPath(value)) return ofSession({ kind: "path", path: expandPath(value) });
      return ofSession({ kind: "idPrefix", prefix: value });
  }
}

function ofSession(of: SessionCondition): EntryCondition {
  return { kind: "session", of };
}

function anyOf(of: readonly EntryCondition[]): EntryCondition {
  return { kind: "any", of };
}
