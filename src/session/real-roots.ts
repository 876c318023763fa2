/** The roots with links resolved: a link in a root may lead outside it. */
import { sep } from "node:path";
import { resolveExistingLinks } from "../path-bytes.ts";
import type { Root } from "./locations.ts";

export class RealRoots {
  readonly #roots: readonly Root[];
  #prefixes: string[] | undefined;

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  /**
   * Whether a link at a path or at a folder above it leads outside all roots. A root may itself be a link. An unreadable path counts
   * as outside. For a path that does not exist yet, its parent folder is checked. Hard links are not detected.
   */
  isOutside(path: string): boolean {
    const real = resolveExistingLinks(path);
    if (real === path) return false; // no link
    return real === undefined || !this.prefixes.some((prefix) => real.startsWith(prefix));
  }

  /** The prefixes of the real paths of files in the roots. */
  get prefixes(): readonly string[] {
    this.#prefixes ??= this.#roots.flatMap((root) => resolveRoot(root.parentRoot ?? root)?.prefix ?? []);
    return this.#prefixes;
  }
}

/** A root with links resolved; undefined if it cannot be read. */
export function resolveRoot(root: Root): Root | undefined {
  const folder = resolveExistingLinks(root.folder);
  if (folder === undefined) return undefined;
  const rest = root.prefix.slice(root.folder.length);
  const prefix =
    folder.endsWith(sep) && rest.startsWith(sep) ? folder + rest.slice(sep.length) : folder + rest;
  return { ...root, folder, prefix };
}
