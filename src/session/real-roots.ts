/** Where roots really lie, links followed: a link in a root may lead anywhere. */
import { sep } from "node:path";
import { realPathSoFar } from "../path-bytes.ts";
import type { Root } from "./locations.ts";

export class RealRoots {
  readonly #roots: readonly Root[];
  #prefixes: string[] | undefined;

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  /**
   * Whether a link, be it the path itself or a folder above it, leads out of all roots. A root may be a link. What cannot be looked at
   * counts as outside. Of a path that is not there yet, the folder that it would be in is looked at. Hard links cannot be told.
   */
  isOutside(path: string): boolean {
    const real = realPathSoFar(path);
    if (real === path) return false; // there is no link
    return real === undefined || !this.prefixes.some((prefix) => real.startsWith(prefix));
  }

  /** What the real paths of the roots' files begin with. */
  get prefixes(): readonly string[] {
    this.#prefixes ??= this.#roots.flatMap((root) => realRoot(root.partOf ?? root)?.prefix ?? []);
    return this.#prefixes;
  }
}

/** A root as it is without links; undefined where it cannot be looked at. */
export function realRoot(root: Root): Root | undefined {
  const folder = realPathSoFar(root.folder);
  if (folder === undefined) return undefined;
  const rest = root.prefix.slice(root.folder.length);
  const prefix =
    folder.endsWith(sep) && rest.startsWith(sep) ? folder + rest.slice(sep.length) : folder + rest;
  return { ...root, folder, prefix };
}
