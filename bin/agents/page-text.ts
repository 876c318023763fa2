/** Formats a page of a session for a model. */
import { counted, field, safeJson } from "../format/safe.ts";
import { dayAndTime } from "../format/times.ts";
import type { ReadAnswer, ReadEntry } from "./answers.ts";
import { citation, citationIn } from "./place.ts";
import { tokensIn } from "./tokens.ts";
import { headingOf, lines, QUOTED, quoted } from "./told.ts";

export function pageText({ session, entries, position, next, previous }: ReadAnswer): string {
  return lines(
    headingOf(session),
    field(session.path),
    `Entries ${position} of the branch. ${QUOTED}`,
    previous !== undefined && `Previous: cursor ${previous}`,
    ...entries.map((entry) => formatEntry(entry, session.path)),
    next !== undefined && `\nMore: cursor ${next}`,
  );
}

/** The tokens of an entry in the longer of its two forms. */
export function costOf(entry: ReadEntry, path: string): number {
  return Math.max(tokensIn(formatEntry(entry, path)), tokensIn(JSON.stringify(entry)) + 1);
}

function formatEntry(entry: ReadEntry, path: string): string {
  return `\n${formatEntryHeading(entry)}\n${quoted(entry.text)}${formatOmission(entry, path)}${formatLinks(entry)}`;
}

function formatEntryHeading({ line, entryId, who, timestamp }: ReadEntry): string {
  const when = timestamp === undefined ? "" : ` ${dayAndTime(new Date(timestamp))}`;
  return `${citationIn(line, entryId)} ${who}${when}`;
}

function formatOmission({ left_out, entryId, line }: ReadEntry, path: string): string {
  if (left_out === undefined) return "";
  // An entry without an ID is addressed by its line.
  const [name, place] = entryId === null ? ["session", citation(path, line, null)] : ["entry", entryId];
  return `\n(${left_out} characters omitted; to read this entry: ${name}: ${safeJson(JSON.stringify(place))}, before: 0, after: 0)`;
}

/** Links to related content: branches that replace the entry, and the sessions of its subagents. */
function formatLinks({ instead = [], subagents = [] }: ReadEntry): string {
  const branches = instead.map(
    ({ line, entryId, entries }) =>
      `another branch continues here with ${citationIn(line, entryId)}: ${counted(entries, "entry", "entries")}`,
  );
  const sessions = subagents.map((path) => `subagent session: ${field(path)}`);
  return [...branches, ...sessions].map((link) => `\n(${link})`).join("");
}
