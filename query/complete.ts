import { basename } from "node:path";
import { agentDetector } from "../src/session/agents.ts";
import type { SessionCondition } from "../src/store/conditions.ts";
import type { CountedField } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import { planView, type View } from "./completion-counts.ts";
import { getCompletionTarget } from "./completion-target.ts";
import { FIELDS, type FieldName, getKnownValues } from "./fields.ts";
import { formatValue } from "./format-term.ts";
import type { CompleteOptions } from "./options.ts";

/** Completions at a position of a query. */
export interface QueryCompletions {
  /** Start of the text that the options replace; it ends at the cursor. */
  from: number;
  /** Whether that text is a value of the field itself, ignoring case. */
  isValue: boolean;
  /** Most frequent first. */
  options: QueryCompletion[];
}

export interface QueryCompletion {
  /** Replacement text: `project:`, or a value, quoted if necessary. */
  text: string;
  /**
   * Number of sessions that the query finds with it, for fields that are counted. Undefined if that takes a search: beside words, for
   * example.
   */
  sessions?: number;
}

/** Maximum number of options; typing another letter narrows them. */
const MAX_OPTIONS = 20;

const TIMES = ["today", "yesterday", "this-week", "last-week", "this-month", "last-month", "7d", "30d", "1y"];
/** Suggested values of fields with too many values to choose from. */
const SUGGESTED: Partial<Record<FieldName, readonly string[]>> = {
  since: TIMES,
  until: TIMES,
  cost: [">1", ">10", "<0.1"],
  messages: [">50", ">200", "<10"],
};

/**
 * Completes the field name or field value before the cursor: `pro` to `project:`, `project:s` to project names that begin
 * with `s`, then to those that contain it. Where a term may begin, lists all fields. Plain words are not completed.
 *
 * @param at cursor position, in UTF-16 units
 * @param view filters beside the query: only values of their sessions are offered
 * @throws PidexError `BAD_OPTION`
 */
export async function completeQuery(
  store: Store,
  query: string,
  at: number = query.length,
  view: CompleteOptions = {},
): Promise<QueryCompletions> {
  const target = getCompletionTarget(query, at);
  if (!target) return { from: at, isValue: false, options: [] };
  const { field, text: typed, start: from } = target;
  if (!field) {
    const fields = FIELDS.filter((each) => each.startsWith(typed) && each !== typed);
    return { from, isValue: false, options: fields.map((each) => ({ text: `${each}:` })) };
  }
  const planned = await planView(store, query, at, view);
  const options = await valuesOf(store, field, planned.condition);
  const lower = typed.toLowerCase();
  const isTyped = ({ text }: QueryCompletion) => text.toLowerCase() === lower;
  const isPrefixed = ({ text }: QueryCompletion) => text.toLowerCase().startsWith(lower);
  const contains = ({ text }: QueryCompletion) => text.toLowerCase().includes(lower);
  const matching = [
    ...options.filter(isPrefixed),
    ...options.filter((each) => !isPrefixed(each) && contains(each)),
  ].filter(({ text }) => text !== typed);
  // A value that only sessions outside the view have is not half typed.
  const isValue = options.some(isTyped) || (await valuesOf(store, field, ALL)).some(isTyped);
  const counted = await recount(field, matching.slice(0, MAX_OPTIONS), planned);
  return { from, isValue, options: counted.map((each) => ({ ...each, text: formatValue(each.text) })) };
}

const ALL: SessionCondition = { kind: "all", of: [] };

/** The options with the sessions that the whole query finds with each: `model:gpt-5` also finds gpt-5-mini. */
async function recount(
  field: FieldName,
  options: readonly QueryCompletion[],
  { count }: View,
): Promise<QueryCompletion[]> {
  if (!count) return options.map(({ text }) => ({ text }));
  const counts = options.map(async (option) => {
    const sessions = option.sessions && (await count(field, option.text));
    return sessions === undefined ? option : { ...option, sessions };
  });
  return Promise.all(counts);
}

/** Fields with values that are counted, and what is counted. */
const COUNTED: Partial<Record<FieldName, CountedField>> = {
  project: "cwd",
  cwd: "cwd",
  name: "name",
  model: "model",
  provider: "provider",
  tag: "tag",
  label: "label",
  tool: "tool",
  machine: "machine",
  person: "person",
};

/** The values of a field in some sessions, most frequent first. */
async function valuesOf(
  store: Store,
  field: FieldName,
  condition: SessionCondition,
): Promise<QueryCompletion[]> {
  const known = SUGGESTED[field] ?? getKnownValues(field);
  if (known.length > 0) return known.map((text) => ({ text }));
  const entries = await store.entries();
  if (field === "agent") {
    const [origins, files] = await Promise.all([entries.listOrigins(), store.sessions.findFiles(condition)]);
    const inView = new Set(files);
    const detect = agentDetector();
    const agents = Map.groupBy(
      origins.filter(({ file }) => inView.has(file)),
      ({ path }) => detect(path) ?? "",
    );
    agents.delete("");
    return [...agents]
      .map(([text, { length }]) => ({ text, sessions: length }))
      .sort((a, b) => b.sessions - a.sessions || (a.text < b.text ? -1 : 1));
  }
  const counted = COUNTED[field];
  if (!counted) return []; // files and sessions have too many values to choose from
  const rows = await entries.countValues(counted, MAX_VALUES, condition);
  if (field !== "project") return rows;
  return merged(rows.map((row) => ({ ...row, text: basename(row.text.replaceAll("\\", "/")) })));
}

const MAX_VALUES = 5000;

/** Merges options with the same text and adds up their sessions. */
function merged(options: readonly QueryCompletion[]): QueryCompletion[] {
  const byText = new Map<string, number>();
  for (const { text, sessions = 0 } of options) byText.set(text, (byText.get(text) ?? 0) + sessions);
  return [...byText].map(([text, sessions]) => ({ text, sessions })).sort((a, b) => b.sessions - a.sessions);
}
