import { realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { PidexError } from "../../src/errors.ts";
import { runGit } from "./run-git.ts";

/** A git repository, seen from one of its working trees. */
export interface Repository {
  /** The working tree, without symbolic links. */
  tree: string;
  /** All working trees of the repository, this one included. */
  trees: string[];
}

/**
 * The repository that a folder is in.
 *
 * @throws PidexError `NOT_A_REPOSITORY`, `GIT_FAILED`
 */
export async function openRepository(folder: string, signal?: AbortSignal): Promise<Repository> {
  const { status, output, message } = await runGit(folder, ["rev-parse", "--show-toplevel"], signal);
  const tree = output.toString().replace(/\n$/, "");
  if (status !== 0 || tree === "") {
    const isForeign = message.includes("dubious ownership");
    throw new PidexError(
      "NOT_A_REPOSITORY",
      isForeign
        ? `${folder} is in a git repository of another user`
        : `${folder} is not in the working tree of a git repository`,
      isForeign
        ? "Allow it with git config --global --add safe.directory FOLDER."
        : "Run the command in a git repository, or name a file in one.",
    );
  }
  const listed = await runGit(folder, ["worktree", "list", "--porcelain"], signal);
  const trees = listed.output
    .toString()
    .split("\n")
    .flatMap((line) => (line.startsWith("worktree ") ? [toRealPath(line.slice("worktree ".length))] : []));
  const real = toRealPath(tree);
  return { tree: real, trees: [...new Set([real, ...trees])] };
}

/** The full hash of a commit. @throws PidexError `NOT_FOUND` */
export async function resolveCommit(folder: string, revision: string, signal?: AbortSignal): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const { status, output } = await runGit(folder, args, signal);
  const sha = /^[0-9a-f]{40,64}$/m.exec(output.toString())?.[0];
  if (status === 0 && sha !== undefined) return sha;
  throw new PidexError(
    "NOT_FOUND",
    `no commit "${revision}" in this repository`,
    "Use a hash, a branch or a tag of this repository: git log --oneline lists commits.",
  );
}

/** The path without symbolic links. What does not exist (any more) stays as it is. */
export function toRealPath(path: string, cache?: Map<string, string>): string {
  const known = cache?.get(path);
  if (known !== undefined) return known;
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    const parent = dirname(path);
    real = parent === path ? path : join(toRealPath(parent, cache), path.slice(parent.length));
  }
  cache?.set(path, real);
  return real;
}

/** The path of a file in a working tree, with slashes; undefined if it is elsewhere. */
export function toTreePath(tree: string, path: string): string | undefined {
  const inside = relative(tree, resolve(path));
  if (
    inside === "" ||
    inside === ".." ||
    inside.startsWith(`..${sep}`) ||
    resolve(tree, inside) !== resolve(path)
  ) {
    return undefined;
  }
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}
