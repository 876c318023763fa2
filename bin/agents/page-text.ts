/** A page of a session as a model reads it. */
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
    previous !== undefined && `Before: cursor ${previous}`,
    ...entries.map((entry) => textOfEntry(entry, session.path)),
    next !== undefined && `\nMore: cursor ${next}`,
  );
}

/** What an entry takes in the longer of both forms, in tokens. */
export function costOf(entry: ReadEntry, path: string): number {
  return Math.max(tokensIn(textOfEntry(entry, path)), tokensIn(JSON.stringify(entry)) + 1);
}

function textOfEntry(entry: ReadEntry, path: string): string {
  return `\n${entryHeading(entry)}\n${quoted(entry.text)}${leftOut(entry, path)}${otherWays(entry)}`;
}

function entryHeading({ line, entryId, who, timestamp }: ReadEntry): string {
  const when = timestamp === undefined ? "" : ` ${dayAndTime(new Date(timestamp))}`;
  return `${citationIn(line, entryId)} ${who}${when}`;
}

function leftOut({ left_out, entryId, line }: ReadEntry, path: string): string {
  if (left_out === undefined) return "";
  // One that has no id is asked for by its line.
  const [name, place] = entryId === null ? ["session", citation(path, line, null)] : ["entry", entryId];
  return `\n(${left_out} characters of this entry are left out; ${name}: ${safeJson(JSON.stringify(place))}, before: 0, after: 0 reads it)`;
}

/** What else can be read of an entry: what was tried in its place, and how a subagent came to its answer. */
function otherWays({ instead = [], subagents = [] }: ReadEntry): string {
  const branches = instead.map(
    ({ line, entryId, entries }) =>
      `another branch goes on with ${citationIn(line, entryId)} in its place: ${counted(entries, "entry", "entries")}`,
  );
  const sessions = subagents.map((path) => `the subagent's own session: ${field(path)}`);
  return [...branches, ...sessions].map((told) => `\n(${told})`).join("");
}
