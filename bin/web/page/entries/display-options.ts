/** Display options of entries: link targets, folding, highlighted words. */
import { createContext } from "preact";
import type { ImagePart } from "../../../format/parts.ts";

/** URLs for parts of a session. Undefined: shown as text without a link. */
export interface EntryLinks {
  /** The URL of an image: a content block, counted from 0, of the message at a line of the file. */
  image(line: number, block: number): string | undefined;
  /** The URL of an entry of the same session. */
  entry(id: string | number): string | undefined;
}

/** Which parts are open, by name, because the rows of a virtual list are removed and created again. */
export interface FoldState {
  /** Undefined until the user opens or closes the part. */
  get(name: string): boolean | undefined;
  set(name: string, isOpen: boolean): unknown;
}

/** An image and the line of its entry. */
export interface PlacedImage {
  part: ImagePart;
  line: number;
}

/** Images to show large, beginning with one of them. */
export interface OpenImages {
  images: readonly PlacedImage[];
  index: number;
  links: EntryLinks;
}

/** What is highlighted in which entries. */
export interface FoundText {
  pattern: RegExp;
  /** The lines of the entries; all others are shown without highlights. */
  lines: ReadonlySet<number>;
}

interface DisplayOptions {
  links: EntryLinks;
  /** The session's folder: paths below it are shown relative to it. Undefined shows whole paths. */
  folder?: string | undefined;
  /** Undefined in static HTML, where folded parts can't be rendered later and are included from the start. */
  folding?: FoldState | undefined;
  /** Shows one of some images large. Undefined in static HTML. */
  onOpenImage?: ((images: OpenImages) => void) | undefined;
  /** Matches the words to highlight in the entry that is rendered; has the flag `g`. */
  highlightPattern?: RegExp | undefined;
  /** Decides the `highlightPattern` of each entry, if it is set. */
  found?: FoundText | undefined;
  /** Whether foldable parts are open until the user closes them. */
  isExpanded?: boolean;
  /** Whether only calls that failed are shown: open, with their whole output, until the user closes them. */
  failedOnly?: boolean;
  /** Whether calls that change files are open until the user closes them. */
  opensEdits?: boolean;
  /** Whether diffs have two columns. */
  splitsDiffs?: boolean;
  /** Whether tool calls and thinking are left out. */
  hidesCalls?: boolean;
}

/** The options of all entries of a session. */
export const DisplayContext = createContext<DisplayOptions>({
  links: { image: () => undefined, entry: () => undefined },
});

/** The pattern of the words to highlight in the entry at a line. */
export function patternAt({ found, highlightPattern }: DisplayOptions, line: number): RegExp | undefined {
  if (!found) return highlightPattern;
  return found.lines.has(line) ? found.pattern : undefined;
}

/** The images of an entry and its results, in order. */
export const EntryImagesContext = createContext<readonly PlacedImage[]>([]);

/** Maximum number of words to highlight. */
const MAX_WORDS = 32;

/** A regular expression that matches any of the words of a text; undefined if it has none. */
export function toHighlightPattern(words: string | undefined): RegExp | undefined {
  const each = (words ?? "").slice(0, 2000).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (each.length === 0) return undefined;
  const longestFirst = each.sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(escapeRegExp).join("|"), "gi");
}

/** A regular expression that matches a text as it is, in the same case if it has an uppercase letter; undefined if it is blank. */
export function toLiteralPattern(text: string): RegExp | undefined {
  if (text.trim() === "") return undefined;
  return new RegExp(escapeRegExp(text.slice(0, 2000)), /\p{Lu}/u.test(text) ? "g" : "gi");
}

function escapeRegExp(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
