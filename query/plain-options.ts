import type { z } from "zod";
import type { ListOptions, SearchOptions } from "./options.ts";

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === "string" && value !== "";
const flag: Rule = (value) => typeof value === "boolean";
const oneOf =
  (...words: string[]): Rule =>
  (value) =>
    words.includes(value as string);
const count: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 1;

/** For what means something else than it says: ages, tags with blanks around them. */
const askZod: Rule = () => false;

const FILTERS = {
  cwd: text,
  project: text,
  model: text,
  named: flag,
  labelled: flag,
  pinned: flag,
  archived: oneOf("no", "yes", "only"),
  internal: flag,
  problems: flag,
  subagents: oneOf("no", "yes", "only"),
  since: askZod,
  until: askZod,
  tags: askZod,
  except: askZod,
  cursor: (value: unknown) => typeof value === "string",
};

const LIST: Record<string, Rule> = {
  ...FILTERS,
  sort: oneOf("modified", "created", "messages", "size"),
  order: oneOf("newest", "oldest"),
  pinnedFirst: flag,
  limit: count,
};

const LIST_DEFAULTS = {
  archived: "no",
  subagents: "no",
  sort: "modified",
  order: "newest",
  pinnedFirst: false,
} as const;

const fewEnough: Rule = (value) => count(value) && (value as number) <= 1000;

const SEARCH: Record<string, Rule> = {
  ...FILTERS,
  role: askZod,
  sort: oneOf("relevance", "newest", "oldest"),
  exact: flag,
  quick: flag,
  strict: flag,
  facets: flag,
  limit: fewEnough,
  hits: fewEnough,
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
  limit: 20,
  hits: 3,
  sync: true,
} as const;

/**
 * The options of a list as zod would give them, where they are surely right; undefined where zod must be asked, be it for
 * what is wrong. Most are so plain, and zod takes as long to load as all else of a short answer.
 */
export function plainListOptions(options: ListOptions): z.output<typeof ListOptions> | undefined {
  return areSurelyRight(options, LIST) ? { ...LIST_DEFAULTS, ...given(options) } : undefined;
}

/** The same of a search's. */
export function plainSearchOptions(options: SearchOptions): z.output<typeof SearchOptions> | undefined {
  return areSurelyRight(options, SEARCH)
    ? { ...SEARCH_DEFAULTS, ...(given(options) as Partial<z.output<typeof SearchOptions>>) }
    : undefined;
}

function areSurelyRight(options: unknown, rules: Record<string, Rule>): boolean {
  if (typeof options !== "object" || options === null) return false;
  if (Object.getPrototypeOf(options) !== Object.prototype) return false;
  return Object.entries(options).every(
    ([key, value]) => Object.hasOwn(rules, key) && (value === undefined || rules[key]?.(value) === true),
  );
}

function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
