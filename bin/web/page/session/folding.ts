/** What is folded and unfolded, kept while the rows of a virtual list come and go. */
const MOST_KEPT = 5000;

export class Foldings {
  readonly #open = new Map<string, boolean>();

  isOpen = (key: string, usually: boolean): boolean => this.#open.get(key) ?? usually;

  toggled = (key: string, open: boolean): void => {
    this.#open.delete(key);
    this.#open.set(key, open);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MOST_KEPT) return;
      this.#open.delete(oldest);
    }
  };
}
