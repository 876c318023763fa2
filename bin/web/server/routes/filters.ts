/** What sessions are narrowed by in an address. The library checks the values: what it takes is told in one place. */
import { AskedFlag, AskedText } from "../asked.ts";

/** What both lists and searches are narrowed by, as flags of the command line are. */
export const filters = {
  cwd: AskedText.optional(),
  project: AskedText.optional(),
  model: AskedText.optional(),
  since: AskedText.optional(),
  until: AskedText.optional(),
  named: AskedFlag.optional(),
  labelled: AskedFlag.optional(),
  pinned: AskedFlag.optional(),
  archived: AskedText.optional(),
  subagents: AskedText.optional(),
  problems: AskedFlag.optional(),
};

/** What searches take besides. */
export const searchFilters = {
  role: AskedText.optional(),
  sort: AskedText.optional(),
  strict: AskedFlag.optional(),
};
