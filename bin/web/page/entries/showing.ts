/** How entries are shown: where their links lead, what is folded, which words are marked. */
import { createContext } from "preact";
import type { PlacedEntry } from "../../../../library/index.ts";
import type { AsJson } from "../../api/answers.ts";

export type PlacedEntryJson = AsJson<PlacedEntry>;

/** Where something of a session can be seen; without an address it is told, and leads nowhere. */
export interface EntryLinks {
  /** The address of a picture: a block, counted from 0, of the message in a line of the file. */
  image(line: number, block: number): string | undefined;
  /** The address of an entry of the same session. */
  entry(id: string | number): string | undefined;
  /** The address of another session, by its id or its file. */
  session(session: string): string | undefined;
}

/** What is folded is remembered by who shows the entries: the rows of a virtual list come and go. */
export interface Folding {
  /** Whether a part is open; `usually` says whether it is before anybody opened or closed it. */
  isOpen(key: string, usually: boolean): boolean;
  toggled(key: string, open: boolean): void;
}

export interface Showing {
  links: EntryLinks;
  /** None where nobody can ask for what is folded later: then all of it is there from the beginning. */
  folding: Folding | undefined;
  /** What finds the words to mark: with the flags `g` and `i`. */
  found: RegExp | undefined;
}

const NOWHERE: EntryLinks = { image: () => undefined, entry: () => undefined, session: () => undefined };

/** Given by an entry to all that is shown of it. */
export const ShowingContext = createContext<Showing>({
  links: NOWHERE,
  folding: undefined,
  found: undefined,
});

/** More words than this mark nothing more that a reader could tell apart. */
const MOST_WORDS = 32;

/** What finds the words of a text, whatever signs are in them. */
export function finding(words: string | undefined): RegExp | undefined {
  const each = (words ?? "").slice(0, 2000).split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (each.length === 0) return undefined;
  const longestFirst = each.sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(literally).join("|"), "gi");
}

function literally(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
