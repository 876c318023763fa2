/** Titles cut to a width. */
import type { Titled } from "../../src/session/titles/choose-title.ts";
import { formatInteger } from "./safe.ts";
import { measureWidth, truncate } from "./text.ts";
import { getSessionTitle } from "./titles.ts";

const SENTENCE_COLUMNS = 60;
const HEADING_COLUMNS = 100;
/** Of each of several titles. */
const LISTED_COLUMNS = 30;

/** The title for a line that says more than the title. */
export function getTitleInSentence(session: Titled): string {
  return truncate(getSessionTitle(session), SENTENCE_COLUMNS);
}

/** Titles in quotation marks, as many as fit, and the number of the others: `“Tax”, “Prices” and 3 more`. */
export function joinTitles(sessions: readonly Titled[], columns: number): string {
  const quoted = sessions.map((session) => `“${truncate(getSessionTitle(session), LISTED_COLUMNS)}”`);
  const join = (count: number) => {
    const more = quoted.length - count;
    return quoted.slice(0, count).join(", ") + (more > 0 ? ` and ${formatInteger(more)} more` : "");
  };
  let count = quoted.length;
  while (count > 1 && measureWidth(join(count)) > columns) count--;
  return join(count);
}

/** The title for the heading of a document that contains the whole message. */
export function getTitleAsHeading(session: Titled): string {
  return truncate(getSessionTitle(session), HEADING_COLUMNS);
}
