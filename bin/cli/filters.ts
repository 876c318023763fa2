import type { SearchOptions } from "../../library/index.ts";
import type { CommonOptions } from "./run.ts";

/** The flags of a command that lists or searches sessions. */
export interface FilterFlags extends CommonOptions {
  cwd?: string;
  here?: boolean;
  project?: string;
  model?: string;
  since?: string;
  until?: string;
  named?: boolean;
  labelled?: boolean;
  pinned?: boolean;
  tag?: string[];
  archived?: "no" | "yes" | "only";
  internal?: boolean;
  problems?: boolean;
  subagents?: "no" | "yes" | "only";
}

type Filters = Pick<
  SearchOptions,
  | "cwd"
  | "project"
  | "model"
  | "since"
  | "until"
  | "named"
  | "labelled"
  | "pinned"
  | "tags"
  | "archived"
  | "internal"
  | "problems"
  | "subagents"
>;

/** The library's filters for the flags. */
export function toFilters(flags: FilterFlags): Filters {
  const { project, model, since, until, named, labelled, internal, problems, subagents } = flags;
  const { pinned, archived, tag: tags } = flags;
  const cwd = flags.here ? "." : flags.cwd;
  return {
    cwd,
    project,
    model,
    since,
    until,
    named,
    labelled,
    pinned,
    tags,
    archived,
    internal,
    problems,
    subagents,
  };
}
