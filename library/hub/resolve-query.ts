/** Resolves paths and dates in queries of a hub, which has other folders and may be in another time zone. */
import { resolve } from "node:path";
import type { FieldName } from "../../query/fields.ts";
import { formatValue } from "../../query/format-term.ts";
import { resolveDates } from "../../query/parse-moment.ts";
import { parseQuery } from "../../query/parse-query.ts";
import { escapeGlob, isGlob } from "../../query/paths.ts";
import { isPath } from "../../query/resolve-session.ts";
import { getHomeFolder, getWorkingFolder } from "../../src/environment.ts";
import { PidexError } from "../../src/errors.ts";
import { expandPath } from "../../src/session/locations.ts";

/** A query with absolute paths in `cwd:`, `file:` and `session:`, and absolute times in place of dates. A query with an error is returned unchanged, so that the hub reports it. */
export function resolveQuery(query: string): string {
  let resolved = query;
  for (const { term } of parseTerms(query).toReversed()) {
    if (term.kind !== "field") continue;
    for (const { value, text, start, end } of term.values.toReversed()) {
      const absolute = isTime(term.field) ? resolveTime(text) : resolveValue(term.field, value);
      if (absolute === value || absolute === text) continue;
      resolved = resolved.slice(0, start) + formatValue(absolute) + resolved.slice(end);
    }
  }
  return resolved;
}

function parseTerms(query: string) {
  try {
    return parseQuery(query).terms;
  } catch (error) {
    if (error instanceof PidexError) return [];
    throw error;
  }
}

const isTime = (field: FieldName): boolean => field === "since" || field === "until";

/** A date as an ISO time. Ages stay as they are, so that the next page belongs to the same query. */
function resolveTime(text: string): string {
  return resolveDates({ since: text }).since;
}

function resolveValue(field: FieldName, value: string): string {
  if (field === "cwd") return expandPath(value);
  if (field === "session") return resolveSessionPath(value);
  return field === "file" ? resolvePattern(value) : value;
}

/** A reference to a session: paths are absolute. */
export function resolveSessionPath(session: string): string {
  return isPath(session) ? expandPath(session) : session;
}

/** A pattern of touched files that matches the same wherever it is read. */
export function resolvePattern(pattern: string): string {
  if (/^~([/\\]|$)/.test(pattern)) {
    // Sessions record both forms.
    return `{~,${getHomeFolder().replace(/[*?[{},]/g, "[$&]")}}${pattern.slice(1)}`;
  }
  if (!/^\.\.?([/\\]|$)/.test(pattern)) return pattern;
  const isFolder = /(^|[/\\])\.\.?$|[/\\]$/.test(pattern);
  const folder = isGlob(pattern) ? escapeGlob(getWorkingFolder()) : getWorkingFolder();
  return resolve(folder, pattern) + (isFolder ? "/" : "");
}
