/** What is exported, whatever it is written as. */
import type { PlacedEntry, SessionInfo } from "../../../library/index.ts";

/** A session, or what is exported of one. Whatever must not go out is masked already. */
export interface Passage {
  session: SessionInfo;
  /** Read as they are asked for: a session may be larger than the memory. */
  entries(): AsyncIterable<PlacedEntry>;
  /** What people asked, for a table of contents: read by themselves, before. */
  prompts?(): AsyncIterable<Prompt>;
  /** The lines of the file that were found, of those that are exported. */
  hits?: ReadonlySet<number>;
}

export interface Prompt {
  line: number;
  /** On one line, and cut. */
  words: string;
}

export interface Exporting {
  title: string;
  /** What of it this is: its current branch, what was found, … */
  about: string;
  passages: AsyncIterable<Passage>;
  /** Words to mark. */
  found?: string;
  /** Whether pictures go along. */
  images: boolean;
  /** Whether secrets were masked. */
  isMasked: boolean;
  /** Why it is not all of it, once everything else is written; undefined where it is. */
  stopped(): string | undefined;
  /** Long answers wait for the promise. */
  out(text: string): Promise<void> | undefined;
}
