/** Filters in query strings. The library validates the values. */
import { optionalFlags, optionalTexts } from "../params.ts";

/** Filters of lists and searches, the same as on the command line. */
export const filters = {
  ...optionalTexts("cwd", "project", "model", "since", "until", "archived", "subagents"),
  ...optionalFlags("named", "labeled", "pinned", "problems"),
};

/** Additional filters of searches. */
export const searchFilters = { ...optionalTexts("role", "sort"), ...optionalFlags("strict") };
