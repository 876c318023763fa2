/** The line that filters a list as the user types: that of the command palette and of the facets. */
import { fuzzyFilter } from "@earendil-works/pi-tui";
import { TextLine } from "./screen.ts";

const PROMPT = ": ";

export class ListFilter<Item> {
  readonly #input = new TextLine(PROMPT);
  readonly #toText: (item: Item) => string;
  readonly #show: (items: readonly Item[]) => void;
  /** Undefined while they are loading. */
  #items: readonly Item[] | undefined;

  /**
   * @param toText the text of an item that is searched
   * @param show called with the items that match, best first, whenever they change
   */
  constructor(toText: (item: Item) => string, show: (items: readonly Item[]) => void) {
    this.#toText = toText;
    this.#show = show;
  }

  /** Whether nothing is typed. */
  get isEmpty(): boolean {
    return this.#input.text === "";
  }

  /** Replaces the items, which are filtered by what is typed already. */
  setItems(items: readonly Item[]): void {
    this.#items = items;
    this.#filter();
  }

  remove(item: Item): void {
    this.setItems((this.#items ?? []).filter((each) => each !== item));
  }

  /** Handles a key that types. */
  press(data: string): void {
    const before = this.#input.text;
    if (data === " " && before === "") return; // would only reset the selection
    this.#input.press(data);
    if (this.#input.text !== before) this.#filter();
  }

  clear(): void {
    this.#input.text = "";
    this.#filter();
  }

  draw(columns: number, hasCursor: boolean): string {
    return this.#input.draw(columns, hasCursor);
  }

  #filter(): void {
    if (!this.#items) return;
    const { text } = this.#input;
    this.#show(text.trim() === "" ? this.#items : filterItems(this.#items, text, this.#toText));
  }
}

/**
 * The items that contain all words: first those with the phrase at the start of a word, then those with each word at the start of one, and
 * shorter texts before longer ones. If there are none, those that match fuzzily.
 */
function filterItems<Item>(items: readonly Item[], text: string, toText: (item: Item) => string): Item[] {
  const phrase = text.toLowerCase().trim().replace(/\s+/g, " ");
  const words = phrase.split(" ");
  const tests = [
    (text: string) => hasWordStart(text, phrase),
    (text: string) => words.every((word) => hasWordStart(text, word)),
    (text: string) => words.every((word) => text.includes(word)),
  ];
  const texts = items.map((item) => ({ item, text: toText(item).toLowerCase() }));
  const ranked = texts.toSorted((a, b) => a.text.length - b.text.length);
  const found = new Set(tests.flatMap((test) => ranked.filter(({ text }) => test(text))));
  return found.size > 0 ? [...found].map(({ item }) => item) : fuzzyFilter([...items], text, toText);
}

/** Whether a part of a text begins a word: `tax` in `project:tax`. */
function hasWordStart(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (at === 0 || !LETTER_BEFORE.test(text.slice(0, at))) return true;
  return false;
}

const LETTER_BEFORE = /[\p{L}\p{N}]$/u;
