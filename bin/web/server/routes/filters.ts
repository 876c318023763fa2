/** What sessions are narrowed by in an address. The library checks the values: what it takes is told in one place. */
import { optionalFlags, optionalTexts } from "../asked.ts";

/** What both lists and searches are narrowed by, as flags of the command line are. */
export const filters = {
  ...optionalTexts("cwd", "project", "model", "since", "until", "archived", "subagents"),
  ...optionalFlags("named", "labelled", "pinned", "problems"),
};

/** What searches take besides. */
export const searchFilters = { ...optionalTexts("role", "sort"), ...optionalFlags("strict") };
