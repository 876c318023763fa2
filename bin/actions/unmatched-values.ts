import type { IndexQueries, ListOptions } from "../../library/index.ts";
import { findNearestWord } from "../../library/internal.ts";
import { formatTerm } from "../format/query-terms.ts";
import {
  extractFieldTexts,
  replaceFieldValue,
  splitEntryFields,
  unquoteValue,
} from "../format/query-words.ts";
import { toOneLine } from "../format/safe.ts";
import { isLocalIndex } from "./index-location.ts";

/** Filters with values that people mistype. */
const FILTERS = ["tag", "project", "model", "tool", "machine", "person"] as const;
type Filter = (typeof FILTERS)[number];
/** Only hubs know these. */
const HUB_FILTERS: readonly Filter[] = ["machine", "person"];
export type MistypedFlags = { [F in Filter]?: F extends "tag" ? string[] : string };

const MAX_NEAREST = 3;
/** Values that are explained: a pasted query may have hundreds, and each is looked up. */
const MAX_UNMATCHED = 8;
const MAX_KNOWN = 5;

/** The sentences of `explainNoMatches` as indented lines, or "". Where no value is near, the most frequent ones are listed. */
export async function formatUnmatchedValues(
  index: IndexQueries,
  flags: MistypedFlags,
  query?: string,
): Promise<string> {
  const sentences = await explainNoMatches(index, flags, query, { listsKnown: true });
  if (isLocalIndex(index)) {
    const ofHubs = HUB_FILTERS.filter((filter) => flags[filter] !== undefined);
    sentences.push(...ofHubs.map((filter) => `--${filter} selects sessions on a hub: add --hub.`));
  }
  return sentences.map((sentence) => `  ${sentence}\n`).join("");
}

interface ExplainOptions {
  /** Whether the most frequent values are listed where none is near. */
  listsKnown?: boolean;
}

/** Says after an empty result which values of filters no session has, and if each has some, which filter excludes the words. */
export async function explainNoMatches(
  index: IndexQueries,
  flags: MistypedFlags,
  query = "",
  options: ExplainOptions = {},
): Promise<string[]> {
  const unmatched = await findUnmatchedValues(index, flags, query, options);
  return unmatched.length > 0 ? unmatched : findBlockingFields(index, query);
}

/**
 * After an empty result of words and fields of entries: whether sessions match without these fields. One sentence, or none. Users expect
 * `tool:edit flaky` to find sessions about something in which the tool was used.
 */
async function findBlockingFields(index: IndexQueries, query: string): Promise<string[]> {
  const { fields, rest } = splitEntryFields(query) ?? {};
  if (fields === undefined || rest === undefined) return [];
  const { sessionCount } = await index.search(rest, { limit: 1, hits: 1, strict: true, sync: false });
  if (sessionCount === 0) return [];
  const matching = sessionCount === 1 ? "a session matches" : "sessions match";
  return [
    `${toOneLine(fields)} must match the same entry as the words. Without it, ${matching}: ${toOneLine(rest)}`,
  ];
}

/**
 * After an empty result: which tags, projects, models and tools (on a hub also machines and people) no session has, and the nearest ones that
 * exist. One sentence for each value.
 *
 * @param query whose fields are checked like the flags
 */
async function findUnmatchedValues(
  index: IndexQueries,
  flags: MistypedFlags,
  query: string,
  { listsKnown = false }: ExplainOptions,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const { filter, value, nearest } of await listUnmatched(index, flags, query)) {
    const listed = nearest.length > 0 || !listsKnown ? nearest : await listKnown(index, filter);
    const heading = nearest.length > 0 ? "Nearest" : KNOWN[filter];
    const list = listed.map(toOneLine).join(", ");
    const end = list && ` ${heading}: ${list}${list.endsWith("…") ? "" : "."}`;
    sentences.push(`No session has the ${filter} "${toOneLine(value)}".${end}`);
  }
  return sentences;
}

/** A value of a filter that no session has. */
export interface UnmatchedValue {
  filter: Filter;
  value: string;
  /** The most similar values that sessions have. */
  nearest: string[];
}

async function listUnmatched(
  index: IndexQueries,
  flags: MistypedFlags,
  query: string,
): Promise<UnmatchedValue[]> {
  const unmatched: UnmatchedValue[] = [];
  for (const filter of FILTERS) {
    if (isLocalIndex(index) && HUB_FILTERS.includes(filter)) continue;
    const values = [flags[filter] ?? [], extractFieldTexts(query, filter)].flat();
    for (const value of new Set(values)) {
      if (value === "" || (await isMatched(index, filter, value))) continue;
      unmatched.push({ filter, value, nearest: await findNearest(index, filter, value) });
      if (unmatched.length === MAX_UNMATCHED) return unmatched;
    }
  }
  return unmatched;
}

/** The values in a query that no session has, each with queries that have one of the nearest values in its place. */
export async function suggestValues(
  index: IndexQueries,
  query: string,
): Promise<{ filter: string; value: string; instead: { value: string; query: string }[] }[]> {
  return (await listUnmatched(index, {}, query)).map(({ filter, value, nearest }) => ({
    filter,
    value,
    instead: nearest.map((near) => ({
      value: near,
      query: replaceFieldValue(query, { field: filter, value, by: near }),
    })),
  }));
}

const KNOWN: Record<Filter, string> = {
  tag: "Tags",
  project: "Projects",
  model: "Models",
  tool: "Tools",
  machine: "Machines",
  person: "People",
};

/** The most frequent values, and "…" if there are more. */
async function listKnown(index: IndexQueries, filter: Filter): Promise<string[]> {
  const { options } = await index.complete(`${filter}:`);
  const values = options.map(({ text }) => unquoteValue(text));
  return values.length > MAX_KNOWN ? [...values.slice(0, MAX_KNOWN), "…"] : values;
}

async function isMatched(index: IndexQueries, filter: Filter, value: string): Promise<boolean> {
  if (filter === "tool") {
    const query = formatTerm({ field: filter, values: [value] });
    const options = { limit: 1, hits: 1, archived: "yes", subagents: "yes", sync: false } as const;
    return (await index.search(query, options)).sessionCount > 0;
  }
  const only: ListOptions = filter === "tag" ? { tags: [value] } : { [filter]: value };
  const every = { limit: 1, archived: "yes", subagents: "yes" } as const;
  return (await index.listSummaries({ ...only, ...every })).length > 0;
}

/** A shorter text begins too many values. */
const MIN_START_LENGTH = 2;

/** The values, or parts of them, that begin with a text or have nearly the same letters, and those that continue them. */
async function findNearest(index: IndexQueries, filter: Filter, value: string): Promise<string[]> {
  const mistyped = value.replace(/^#|\*$/g, "").toLowerCase();
  // The most frequent ones, and all that begin like it.
  const [initial = ""] = mistyped;
  const starts = ["", initial, `"${mistyped.replaceAll('"', '""')}`]; // an open quote: it may contain spaces
  const answers = await Promise.all(starts.map((start) => index.complete(`${filter}:${start}`)));
  const known = new Set(answers.flatMap(({ options }) => options.map(({ text }) => unquoteValue(text))));
  const near = [...known].flatMap((each) => {
    const parts = [each.toLowerCase(), ...each.toLowerCase().split(/[^\p{L}\p{N}]+/u)];
    const isBegun = mistyped.length >= MIN_START_LENGTH && parts.some((part) => part.startsWith(mistyped));
    const part = findNearestWord(mistyped, parts);
    return part !== undefined || isBegun ? [{ each, isWhole: part === parts[0], isBegun }] : [];
  });
  const whole = near.filter(({ isWhole }) => isWhole).map(({ each }) => each);
  const longer = [...known].filter((each) => whole.some((start) => each !== start && each.startsWith(start)));
  const begun = near.filter(({ isBegun }) => isBegun).map(({ each }) => each);
  return [...new Set([...whole, ...longer, ...begun, ...near.map(({ each }) => each)])].slice(0, MAX_NEAREST);
}
