import type { z } from "zod";
import type { ListOptions } from "./options.ts";

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

const RULES: Record<string, Rule> = {
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
  sort: oneOf("modified", "created", "messages", "size"),
  order: oneOf("newest", "oldest"),
  pinnedFirst: flag,
  limit: count,
  cursor: (value) => typeof value === "string",
};

/**
 * The options of a list as zod would give them, where they are surely right; undefined where zod must be asked, be it for
 * what is wrong. Most are so plain, and zod takes as long to load as all else of a short answer.
 */
export function plainListOptions(options: ListOptions): z.output<typeof ListOptions> | undefined {
  if (
    typeof options !== "object" ||
    options === null ||
    Object.getPrototypeOf(options) !== Object.prototype
  ) {
    return undefined;
  }
  const given = Object.entries(options);
  const isPlain = ([key, value]: [string, unknown]) =>
    Object.hasOwn(RULES, key) && (value === undefined || RULES[key]?.(value));
  if (!given.every(isPlain)) return undefined;
  const plain = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...plain };
}

const DEFAULTS = {
  archived: "no",
  subagents: "no",
  sort: "modified",
  order: "newest",
  pinnedFirst: false,
} as const;
