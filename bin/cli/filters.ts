import type { FilterFlags } from "./common-options.ts";

/** The library's filters for the flags. */
export function toFilters(flags: FilterFlags) {
  const { here, project, model, machine, person, since, until, tag: tags } = flags;
  const { named, labeled, pinned, archived, internal, problems, subagents } = flags;
  const properties = { tags, named, labeled, pinned, archived, internal, problems, subagents };
  return { cwd: here ? "." : flags.cwd, project, model, machine, person, since, until, ...properties };
}

/** A hint for a `--since 3m` that found nothing: months may have been meant. Empty otherwise. */
export function formatMinutesHint({ since = "" }: { since?: string | undefined }): string {
  const [, count] = /^\s*(\d+)m\s*$/i.exec(since) ?? [];
  return count === undefined ? "" : `  --since ${count}m means minutes; for months use ${count}mo\n`;
}
