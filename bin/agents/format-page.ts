/** Formats a page of a session for a model. */
import { escapeJson, formatCount, toField } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { ReadAnswer, ReadEntry } from "./answers.ts";
import { formatCitation, formatShortCitation } from "./citations.ts";
import { formatQuotation, formatSessionLine, joinLines, QUOTATION_NOTICE } from "./format-session.ts";
import { estimateTokens } from "./tokens.ts";

export function formatPage({ session, entries, position, previous }: ReadAnswer): string {
  return joinLines(
    formatSessionLine(session),
    toField(session.path),
    `Entries ${position} of the branch. ${QUOTATION_NOTICE}`,
    previous !== undefined && `Previous: cursor ${previous}`,
    ...entries.map((entry) => formatEntry(entry, session.path)),
  );
}

/** The tokens of an entry in the longer of its two forms. */
export function countEntryTokens(entry: ReadEntry, path: string): number {
  return Math.max(estimateTokens(formatEntry(entry, path)), estimateTokens(JSON.stringify(entry)) + 1);
}

function formatEntry(entry: ReadEntry, path: string): string {
  return `\n${formatEntryHeading(entry)}\n${formatQuotation(entry.text)}${formatOmission(entry, path)}${formatLinks(entry)}`;
}

type EntryHeading = Pick<ReadEntry, "line" | "entryId" | "who" | "timestamp">;

/** The citation of an entry without its session, its author and its time. */
export function formatEntryHeading({ line, entryId, who, timestamp }: EntryHeading): string {
  const when = timestamp === undefined ? "" : ` ${formatDateTime(new Date(timestamp))}`;
  return `${formatShortCitation(line, entryId)} ${who}${when}`;
}

function formatOmission({ omittedCharacters, entryId, line }: ReadEntry, path: string): string {
  if (omittedCharacters === undefined) return "";
  // An entry without an id is addressed by its line.
  const [name, place] = entryId === null ? ["session", formatCitation(path, line, null)] : ["entry", entryId];
  return `\n(${omittedCharacters} characters omitted; to read this entry: ${name}: ${escapeJson(JSON.stringify(place))}, before: 0, after: 0)`;
}

/** Links to related content: branches that replace the entry, and the sessions of its subagents. */
function formatLinks({ otherBranches = [], subagents = [] }: ReadEntry): string {
  const branches = otherBranches.map(
    ({ line, entryId, entries }) =>
      `another branch continues here with ${formatShortCitation(line, entryId)}: ${formatCount(entries, "entry", "entries")}`,
  );
  const sessions = subagents.map((path) => `subagent session: ${toField(path)}`);
  return [...branches, ...sessions].map((link) => `\n(${link})`).join("");
}
