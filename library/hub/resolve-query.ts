/** Resolves paths and dates in queries of a hub, which has other folders and may be in another time zone. */
import { resolve } from "node:path";
import type { FieldName } from "../../query/fields.ts";
import { formatTerm, formatValue } from "../../query/format-term.ts";
import { joinGlobs } from "../../query/glob-tokens.ts";
import { isNamedPath, isRelativeToFolder, toBareName } from "../../query/named-path.ts";
import { resolveDates } from "../../query/parse-moment.ts";
import { parseQuery } from "../../query/parse-query.ts";
import { escapeGlob, isGlob } from "../../query/paths.ts";
import { isPath } from "../../query/resolve-session.ts";
import { getHomeFolder, getWorkingFolder } from "../../src/environment.ts";
import { PidexError } from "../../src/errors.ts";
import { expandPath } from "../../src/session/locations.ts";

/**
 * A query with absolute paths in `cwd:`, `file:` and `session:`, and in words that name a session file, and absolute times in place of
 * dates. A query with an error is returned unchanged, so that the hub reports it.
 */
export function resolveQuery(query: string): string {
  let resolved = query;
  const replace = ({ start, end }: { start: number; end: number }, text: string) => {
    resolved = resolved.slice(0, start) + text + resolved.slice(end);
  };
  for (const { term, excluded } of parseTerms(query).toReversed()) {
    if (term.kind === "text") {
      const name = toBareName(term.text);
      const isRelative = !excluded && isNamedPath(name) && isRelativeToFolder(name);
      if (isRelative) replace(term, formatTerm({ text: expandPath(name), quoted: term.quoted }));
      continue;
    }
    for (const { value, text, ...place } of term.values.toReversed()) {
      const absolute = isTime(term.field) ? resolveTime(text) : resolveValue(term.field, value);
      if (absolute !== value && absolute !== text) replace(place, formatValue(absolute));
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
    const folder = joinGlobs({ texts: ["~", getHomeFolder()], globs: [] });
    const below = pattern.slice(1);
    return folder + (isGlob(below) ? toGlob(below, below) : below);
  }
  if (!/^\.\.?([/\\]|$)/.test(pattern)) return pattern;
  const end = /(^|[/\\])\.\.?$|[/\\]$/.test(pattern) ? "/" : ""; // a folder
  const path = resolve(getWorkingFolder(), pattern) + end;
  return isGlob(pattern) ? toGlob(path, resolve(escapeGlob(getWorkingFolder()), pattern) + end) : path;
}

/** A glob that also matches the literal name, as a pattern does that has no folder of this machine in front. */
function toGlob(text: string, glob: string): string {
  const end = /[/\\]$/.test(text) ? "/" : "";
  const cut = (path: string) => path.slice(0, path.length - end.length);
  return joinGlobs({ texts: [cut(text)], globs: [cut(glob)] }) + end;
}
