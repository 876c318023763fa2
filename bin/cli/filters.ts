import type { FilterFlags } from "./common-options.ts";

/** The library's filters for the flags. */
export function toFilters(flags: FilterFlags) {
  const { project, model, since, until, named, labeled, internal, problems, subagents } = flags;
  const { pinned, archived, tag: tags } = flags;
  const cwd = flags.here ? "." : flags.cwd;
  return {
    cwd,
    project,
    model,
    since,
    until,
    named,
    labeled,
    pinned,
    tags,
    archived,
    internal,
    problems,
    subagents,
  };
}
