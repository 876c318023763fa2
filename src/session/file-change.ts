/** What tool calls do to files, as data. */

/** Lines of a file replaced by others; both may contain unchanged lines around them. */
export interface Hunk {
  before: string[];
  after: string[];
}

/** A text replaced by another, once or everywhere. */
export interface Replacement {
  before: string;
  after: string;
  everywhere: boolean;
}

/** What happened to one file. Texts have `\n` line ends. */
export type FileChange =
  | { kind: "replace"; path: string; edits: Replacement[] }
  | { kind: "whole"; path: string; text: string }
  /** `after`: the number of lines before the inserted text. */
  | { kind: "insert"; path: string; text: string; after: number }
  | { kind: "patch"; path: string; hunks: Hunk[] };
