/** Where roots really lie, links followed: a link in a root may lead anywhere. */
import { dirname, join, relative, sep } from "node:path";
import { systemCode } from "../errors.ts";
import { realPath as withoutLinks } from "../path-bytes.ts";
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
    const real = realPath(path);
    if (real === path) return false; // there is no link
    return real === undefined || !this.prefixes.some((prefix) => real.startsWith(prefix));
  }

  /** What the real paths of the roots' files begin with. */
  get prefixes(): readonly string[] {
    this.#prefixes ??= this.#roots.flatMap((root) => realPrefix(root.partOf ?? root) ?? []);
    return this.#prefixes;
  }
}

/** What the real paths of a root's files begin with; undefined where the root is not there. */
function realPrefix({ folder, prefix }: Root): string | undefined {
  const real = realPath(folder);
  if (real === undefined) return undefined;
  const rest = prefix.slice(folder.length);
  return real.endsWith(sep) && rest.startsWith(sep) ? real + rest.slice(sep.length) : real + rest;
}

/** A path without links, as far down as there is something; undefined where it cannot be looked at. */
export function realPath(path: string): string | undefined {
  for (let above = path; ; above = dirname(above)) {
    try {
      return join(withoutLinks(above), relative(above, path));
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || dirname(above) === above) return undefined;
    }
  }
}
