/** The folders of an index: which there are now, and where links lead out of them. */
import { requireText } from "../src/arguments.ts";
import { expandPath, type Root, rootAt } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";
import { usualRoots } from "../src/session/usual-roots.ts";

export class IndexRoots {
  readonly #find: (onNotice?: (message: string) => void) => readonly Root[];
  #current: readonly Root[];
  /** Looked up when first needed: `pidex tag` asks for each of thousands of sessions. */
  #real: RealRoots;

  /** @param named the folders to look in; without them, where agents keep their sessions */
  constructor(named: readonly string[] | undefined, onNotice?: (message: string) => void) {
    const roots = named?.map(rootAt);
    this.#find = roots ? () => roots : usualRoots;
    this.#current = this.#find(onNotice);
    this.#real = new RealRoots(this.#current);
  }

  get current(): readonly Root[] {
    return this.#current;
  }

  get folders(): string[] {
    return this.#current.map(({ folder }) => folder);
  }

  get realPrefixes(): readonly string[] {
    return this.#real.prefixes;
  }

  refresh(): void {
    this.#current = this.#find();
    this.#real = new RealRoots(this.#current);
  }

  leadsOutside(path: string): boolean {
    requireText(path, "a path");
    return this.#real.isOutside(expandPath(path));
  }
}
