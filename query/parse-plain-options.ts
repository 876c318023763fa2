import type { z } from "zod";
import { omitUndefined } from "../src/omit-undefined.ts";
import type { FilesOptions, ListOptions, SearchOptions } from "./options.ts";
import { DEFAULT_SNIPPET_LENGTH, MAX_SNIPPET_LENGTH } from "./snippet-length.ts";

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === "string" && value !== "";
const flag: Rule = (value) => typeof value === "boolean";
const oneOf =
  (...words: string[]): Rule =>
  (value) =>
    words.includes(value as string);
const count: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 1;

/** For values that zod transforms: ages, tags with surrounding spaces. */
const needsZod: Rule = () => false;

const FILTERS = {
  cwd: text,
  project: text,
  model: text,
  machine: text,
  person: text,
  named: flag,
  labeled: flag,
  pinned: flag,
  archived: oneOf("no", "yes", "only"),
  internal: flag,
  problems: flag,
  subagents: oneOf("no", "yes", "only"),
  since: needsZod,
  until: needsZod,
  tags: needsZod,
  except: needsZod,
  cursor: (value: unknown) => typeof value === "string",
};

const LIST: Record<string, Rule> = {
  ...FILTERS,
  query: (value: unknown) => typeof value === "string",
  sort: oneOf("modified", "created", "messages", "cost", "name", "size"),
  order: oneOf("newest", "oldest"),
  pinnedFirst: flag,
  costs: flag,
  models: flag,
  limit: count,
};

const LIST_DEFAULTS = {
  archived: "no",
  subagents: "no",
  sort: "modified",
  order: "newest",
  pinnedFirst: false,
  costs: false,
  models: false,
} as const;

const pageSize: Rule = (value) => count(value) && (value as number) <= 1000;

const SEARCH: Record<string, Rule> = {
  ...FILTERS,
  role: needsZod,
  sort: oneOf("relevance", "newest", "oldest", "cost", "messages"),
  exact: flag,
  quick: flag,
  strict: flag,
  facets: flag,
  costs: flag,
  models: flag,
  limit: pageSize,
  hits: pageSize,
  snippetLength: (value: unknown) =>
    count(value) && (value as number) >= DEFAULT_SNIPPET_LENGTH && (value as number) <= MAX_SNIPPET_LENGTH,
  sync: flag,
};

const SEARCH_DEFAULTS = {
  archived: "yes",
  subagents: "no",
  sort: "relevance",
  exact: false,
  quick: false,
  strict: false,
  facets: false,
  costs: false,
  models: false,
  limit: 20,
  hits: 3,
  snippetLength: DEFAULT_SNIPPET_LENGTH,
  sync: true,
} as const;

const FILES: Record<string, Rule> = {
  ...FILTERS,
  action: needsZod,
  limit: pageSize,
  touches: count,
  costs: flag,
};

const FILES_DEFAULTS = { archived: "yes", subagents: "yes", limit: 20, touches: 5, costs: false } as const;

/**
 * Returns the options of a list as zod would, if they are valid and need no transformation; otherwise undefined, and zod must
 * parse them or report the error. Most calls qualify, and loading zod takes as long as the rest of a short query.
 */
export function parsePlainListOptions(options: ListOptions): z.output<typeof ListOptions> | undefined {
  return arePlain(options, LIST)
    ? { ...LIST_DEFAULTS, ...(omitUndefined(options) as Partial<z.output<typeof ListOptions>>) }
    : undefined;
}

/** The same for the options of a search. */
export function parsePlainSearchOptions(options: SearchOptions): z.output<typeof SearchOptions> | undefined {
  return arePlain(options, SEARCH)
    ? { ...SEARCH_DEFAULTS, ...(omitUndefined(options) as Partial<z.output<typeof SearchOptions>>) }
    : undefined;
}

/** The same for the options of `files`. */
export function parsePlainFilesOptions(options: FilesOptions): z.output<typeof FilesOptions> | undefined {
  return arePlain(options, FILES)
    ? { ...FILES_DEFAULTS, ...(omitUndefined(options) as Partial<z.output<typeof FilesOptions>>) }
    : undefined;
}

function arePlain(options: unknown, rules: Record<string, Rule>): boolean {
  if (typeof options !== "object" || options === null) return false;
  if (Object.getPrototypeOf(options) !== Object.prototype) return false;
  return Object.entries(options).every(
    ([key, value]) => Object.hasOwn(rules, key) && (value === undefined || rules[key]?.(value) === true),
  );
}
