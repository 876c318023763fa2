/** The content of an export, independent of its format. */
import type { LocatedEntry, SessionInfo } from "../../../library/index.ts";

/** A session, or the exported part of one. Secrets are already masked. */
export interface ExportedSession {
  session: SessionInfo;
  /** Read lazily: a session may be larger than memory. */
  entries(): AsyncIterable<LocatedEntry>;
  /** The user's prompts for a table of contents, read in a separate pass. */
  prompts?(): AsyncIterable<Prompt>;
  /** Line numbers of search hits among the exported entries. */
  hits?: ReadonlySet<number>;
}

export interface Prompt {
  line: number;
  /** On one line, truncated. */
  words: string;
}

export interface ExportContent {
  title: string;
  /** Describes the selection, such as "The current branch". */
  about: string;
  sessions: AsyncIterable<ExportedSession> | Iterable<ExportedSession>;
  /** Whether it may have several sessions, each with its own heading. */
  isCollection: boolean;
  /** Words to highlight. */
  searchTerms?: string;
  /** Whether images are included. */
  images: boolean;
  /** Whether secrets were masked. */
  isMasked: boolean;
  /** Call at the end: which limit ended the export; undefined if it is complete. */
  getStopReason(): string | undefined;
}
