import { parseMoment } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import type { FilterFlags } from "./common-options.ts";

/** The library's filters for the flags. */
export function toFilters(flags: FilterFlags) {
  const { here, project, model, machine, person, since, until, tag: tags } = flags;
  const { named, labeled, pinned, archived, internal, problems, subagents } = flags;
  const properties = { tags, named, labeled, pinned, archived, internal, problems, subagents };
  return { cwd: here ? "." : flags.cwd, project, model, machine, person, since, until, ...properties };
}

/**
 * A hint for a `--since` that found nothing: a time in the future, or `3m`, which may have been meant as months. Empty otherwise.
 */
export function formatSinceHint({ since = "" }: { since?: string | undefined }): string {
  return formatStartHint("--since ", since);
}

/** @param name what precedes the time on the command line or in the query */
export function formatStartHint(name: string, since: string): string {
  const [, count] = /^\s*(\d+)m\s*$/i.exec(since) ?? [];
  if (count !== undefined) return `  ${name}${count}m means minutes; for months use ${count}mo\n`;
  const isInFuture = (parseMoment(since) ?? 0) > Date.now();
  return isInFuture ? `  ${name}${toOneLine(since)} is in the future\n` : "";
}
