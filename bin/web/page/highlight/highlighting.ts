/** The highlighter used by code blocks. */
import { createContext } from "preact";

/** A segment of a line, and its CSS class, if any. */
export type Piece = readonly [text: string, kind?: string];
export type Line = readonly Piece[];

/** Highlights code asynchronously. Code that takes too long is never highlighted. */
export interface Highlighting {
  /** The highlighted lines of a text, if cached. */
  known(text: string, language: string): readonly Line[] | undefined;
  /** Calls `done` with the highlighted lines. @returns a function that cancels the request */
  ask(text: string, language: string, done: (lines: readonly Line[]) => void): () => void;
}

/** Without a highlighter, code is not coloured. */
export const HighlightingContext = createContext<Highlighting | undefined>(undefined);
