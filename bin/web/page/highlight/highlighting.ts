/** Code in colours: what does it, wherever it is shown. */
import { createContext } from "preact";

/** A piece of a line, and the class that colours it; none stands as it is. */
export type Piece = readonly [text: string, kind?: string];
export type Line = readonly Piece[];

/** Puts code in colours. Nothing is in colours until it is known how, and never anything that takes long. */
export interface Highlighting {
  /** The lines of a text in a language, where they are known already. */
  known(text: string, language: string): readonly Line[] | undefined;
  /** Says when they are. @returns what ends that */
  ask(text: string, language: string, done: (lines: readonly Line[]) => void): () => void;
}

/** Without one, code is shown in one colour. */
export const HighlightingContext = createContext<Highlighting | undefined>(undefined);
