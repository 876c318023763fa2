/** The highlighter used by code blocks. */
import { createContext } from "preact";
import type { Language } from "./languages.ts";

/** A segment of a line, and its CSS class, if any. */
export type CodeSegment = readonly [text: string, kind?: string];
export type CodeLine = readonly CodeSegment[];

/** Highlights code asynchronously. Code that takes too long is never highlighted. */
export interface Highlighter {
  /** The highlighted lines of a text, if cached. */
  getCached(text: string, language: Language): readonly CodeLine[] | undefined;
  /** Calls `done` with the highlighted lines. @returns a function that cancels the request */
  request(text: string, language: Language, done: (lines: readonly CodeLine[]) => void): () => void;
}

/** Without a highlighter, code is not colored. */
export const HighlighterContext = createContext<Highlighter | undefined>(undefined);
