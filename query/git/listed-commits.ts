import { badOption } from "../../src/errors.ts";
import { resolveCommit } from "./repository.ts";
import { gitFailed, runGit } from "./run-git.ts";

/** A commit, and the files that it changed, also by their paths before. */
export interface ListedCommit {
  sha: string;
  subject: string;
  author: string;
  /** Unix seconds. */
  time: number;
  /** Lines it added; 0 for merges. */
  added: number;
  files: string[];
}

interface CommitSelection {
  rev?: string | undefined;
  range?: string | undefined;
  /** All commits of any branch since then. */
  since?: Date | undefined;
  limit: number;
}

/**
 * One commit, or those of a range or since a time, newest first; and the commits whose ancestors contain all of them.
 *
 * @throws PidexError `NOT_FOUND`, `BAD_OPTION`, `GIT_FAILED`
 */
export async function listCommits(
  folder: string,
  { rev = "HEAD", range, since, limit }: CommitSelection,
  signal?: AbortSignal,
): Promise<{ commits: ListedCommit[]; tips: string[] }> {
  if (since) {
    const refs = await runGit(folder, ["rev-parse", "--branches", "--revs-only", "HEAD"], signal);
    const tips = [...new Set(refs.output.toString().match(/^[0-9a-f]{40,64}$/gm) ?? [])];
    if (tips.length === 0) return { commits: [], tips };
    // Commits have whole seconds.
    const seconds = Math.floor(since.getTime() / 1000);
    return {
      commits: await describeCommits(folder, [...tips, `--since=${seconds}`, `--max-count=${limit}`], signal),
      tips,
    };
  }
  if (range === undefined) {
    const sha = await resolveCommit(folder, rev, signal);
    return { commits: await describeCommits(folder, [sha, "--no-walk"], signal), tips: [sha] };
  }
  const parsed = await runGit(folder, ["rev-parse", "--revs-only", "--end-of-options", range], signal);
  const hashes = parsed.output.toString().match(/^\^?[0-9a-f]{40,64}$/gm) ?? [];
  const tips = hashes.filter((hash) => !hash.startsWith("^"));
  if (parsed.status !== 0 || tips.length === 0) {
    throw badOption(
      `"${range}" is not a range of commits`,
      "Use A..B, or a branch: main..feature, v1.0..HEAD.",
    );
  }
  return { commits: await describeCommits(folder, [...hashes, `--max-count=${limit}`], signal), tips };
}

async function describeCommits(
  folder: string,
  selection: readonly string[],
  signal?: AbortSignal,
): Promise<ListedCommit[]> {
  const format = ["%x01%H", "%ct", "%P", "%an", "%s"].join("%x02");
  const args = [
    ...["log", `--format=${format}`, "--numstat", "-z", "-M", "--diff-merges=combined", "--no-color"],
    ...["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", ...selection, "--"],
  ];
  const { status, output, message } = await runGit(folder, args, signal);
  if (status !== 0) throw gitFailed(`git log failed: ${message}`, "Run git log in this repository.");
  return output.toString().split("\x01").slice(1).map(parseCommit);
}

function parseCommit(text: string): ListedCommit {
  const [head = "", ...fields] = text.split("\0").map((field) => field.replace(/^\n/, ""));
  const [sha = "", time, parents = "", author = "", subject = ""] = head.split("\x02");
  const files: string[] = [];
  let added = 0;
  for (let n = 0; n < fields.length; n++) {
    const [, lines, path] = /^(\d+|-)\t(?:\d+|-)\t(.*)$/s.exec(fields[n] as string) ?? [];
    if (lines === undefined || path === undefined) continue;
    added += lines === "-" ? 0 : Number(lines);
    // Of a renamed file, both paths follow.
    if (path !== "") files.push(path);
    else files.push(fields[++n] ?? "", fields[++n] ?? "");
  }
  const isMerge = parents.includes(" ");
  return { sha, time: Number(time), author, subject: subject.trimEnd(), added: isMerge ? 0 : added, files };
}
