/** Display options of entries: link targets, folding, highlighted words. */
import { createContext } from "preact";
import type { LocatedEntry } from "../../../../library/index.ts";
import type { JsonOf } from "../../api/json.ts";

export type PlacedEntryJson = JsonOf<LocatedEntry>;

/** URLs for parts of a session. Undefined: shown as text without a link. */
export interface EntryLinks {
  /** The URL of an image: a content block, counted from 0, of the message at a line of the file. */
  image(line: number, block: number): string | undefined;
  /** The URL of an entry of the same session. */
  entry(id: string | number): string | undefined;
  /** The URL of another session, by its id or path. */
  session(session: string): string | undefined;
}

/** Remembers which parts are open, because the rows of a virtual list are removed and created again. */
export interface FoldState {
  /** Whether a part is open. `initial` applies until the user opens or closes it. */
  isOpen(key: string, initial: boolean): boolean;
  setOpen(key: string, open: boolean): void;
}

export interface DisplayOptions {
  links: EntryLinks;
  /** Undefined in static HTML, where folded parts can't be rendered later and are included from the start. */
  folding: FoldState | undefined;
  /** Matches the words to highlight; has the flags `g` and `i`. */
  highlightPattern: RegExp | undefined;
}

const NOWHERE: EntryLinks = { image: () => undefined, entry: () => undefined, session: () => undefined };

/** Set by an entry for everything in it. */
export const DisplayContext = createContext<DisplayOptions>({
  links: NOWHERE,
  folding: undefined,
  highlightPattern: undefined,
});

/** Maximum number of words to highlight. */
const MAX_WORDS = 32;

/** A regular expression that matches any of the words of a text; undefined if it has none. */
export function toHighlightPattern(words: string | undefined): RegExp | undefined {
  const each = (words ?? "").slice(0, 2000).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (each.length === 0) return undefined;
  const longestFirst = each.sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(escapeRegExp).join("|"), "gi");
}

function escapeRegExp(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
