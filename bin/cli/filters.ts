import type { FilterFlags } from "./common-options.ts";

/** The library's filters for the flags. */
export function toFilters(flags: FilterFlags) {
  const { here, project, model, machine, person, since, until, tag: tags } = flags;
  const { named, labeled, pinned, archived, internal, problems, subagents } = flags;
  const properties = { tags, named, labeled, pinned, archived, internal, problems, subagents };
  return { cwd: here ? "." : flags.cwd, project, model, machine, person, since, until, ...properties };
}
