/** The session folders of an index, and whether a path leads out of them through links. */
import { requireText } from "../src/arguments.ts";
import { configuredRoots } from "../src/session/configured-roots.ts";
import { expandPath, type Root, toRoot } from "../src/session/locations.ts";
import { RealRoots } from "../src/session/real-roots.ts";

export class IndexRoots {
  readonly #find: (onNotice?: (message: string) => void) => readonly Root[];
  #current: readonly Root[];
  /** Resolved on first use and kept: `pidex tag` needs it for each of thousands of sessions. */
  #real: RealRoots;

  /** @param folders default: the folders where agents keep their sessions */
  constructor(folders: readonly string[] | undefined, onNotice?: (message: string) => void) {
    const roots = folders?.map(toRoot);
    this.#find = roots ? () => roots : configuredRoots;
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
