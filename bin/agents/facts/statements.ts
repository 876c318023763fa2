/** What a brief states: a text on one line, and the line of the session that says so. */

export interface Statement {
  /** Line in the session file, from 1. */
  line: number;
  /** One line, safe for a terminal, without likely secrets if they are masked. */
  text: string;
}

/** A copy that doesn't keep the text alive that it was cut from: outputs have megabytes. */
export function detach(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, "utf16le").toString("utf16le");
}

/** The start of a text, cut at a word, with an ellipsis if something was cut. @param most length in characters */
export function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "");
  const word = start.replace(/\s+\S*$/, "");
  return `${(word.length > most / 2 ? word : start).trimEnd()}…`;
}
