import { gitFailed, runGit } from "./run-git.ts";
import { unquotePath } from "./unquote-path.ts";

/** What a commit did to one file. Positions are of lines in the file after it, from 0. */
export interface FileChangeInCommit {
  /** The path after the commit, and before it if it was renamed. */
  file: string;
  previousFile: string;
  /** The blobs before and after; undefined if the file did not exist before. */
  before: string | undefined;
  after: string;
  /** The lines it added: their first position and number. */
  added: { start: number; count: number }[];
  /** The texts of lines that it added and removed, as `toKey` shortens them. */
  addedKeys: Set<string>;
  removedKeys: Set<string>;
}

export interface CommitWithChanges {
  sha: string;
  /** The nearest ancestors that are listed too. */
  parents: string[];
  /** When it was committed, in Unix seconds. */
  time: number;
  changes: FileChangeInCommit[];
}

export interface HistoryRange {
  /** The commits whose ancestors are listed. */
  tips: readonly string[];
  /** Only these files; all if undefined. */
  files: readonly string[] | undefined;
  /** Commits before this time are left out. Unix milliseconds. */
  since: number;
}

/** The beginning of a line, by which lines are compared before files are read. */
export function toKey(line: string): string {
  return line.slice(0, 200);
}

/** Commits may have dates that are not in order. */
const SINCE_MARGIN_SECONDS = 86_400;

/** The commits that changed files, each after its ancestors, with the lines that they added. */
export async function readHistory(
  folder: string,
  { tips, files, since }: HistoryRange,
  signal?: AbortSignal,
): Promise<CommitWithChanges[]> {
  const args = [
    "log",
    ...["--format=%x01%H %ct %P", "--topo-order", "--full-history", "--parents", "--no-color", "--no-notes"],
    ...["--patch", "-U0", "--no-ext-diff", "--no-textconv", "--full-index", "-M", "--diff-merges=combined"],
    ...["--no-show-signature", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all"],
    `--since=${Math.max(0, Math.floor(since / 1000) - SINCE_MARGIN_SECONDS)}`,
    ...["--end-of-options", ...tips, "--", ...(files ?? [])],
  ];
  const { status, output, message } = await runGit(folder, args, signal);
  if (status !== 0) throw gitFailed(`git log failed: ${message}`, "Run git log in this repository.");
  return parseLog(output).reverse();
}

function parseLog(output: Buffer): CommitWithChanges[] {
  const commits: CommitWithChanges[] = [];
  let patch = new PatchReader();
  for (const line of linesOf(output)) {
    if (line.startsWith("\x01")) {
      const [sha = "", time, ...parents] = line.slice(1).trim().split(" ");
      patch = new PatchReader();
      commits.push({ sha, time: Number(time), parents, changes: patch.changes });
    } else patch.read(line);
  }
  return commits;
}

/** One line after the other, because the output may be longer than a string can be. */
function* linesOf(output: Buffer): Generator<string> {
  for (let from = 0; from < output.length; ) {
    const next = output.indexOf(10, from);
    const to = next < 0 ? output.length : next;
    // Only headers are used, and of other lines the sign.
    const first = output[from];
    const isContent = first === 0x2b || first === 0x2d || first === 0x20;
    yield output.toString("utf8", from, isContent ? Math.min(to, from + 4200) : to);
    from = to + 1;
  }
}

/** Reads the patches of one commit, line by line. */
class PatchReader {
  readonly changes: FileChangeInCommit[] = [];
  #file: { previous: string | undefined; before: string | undefined; after: string } | undefined;
  /** The rest of the current hunk: lines before and after, by parent. */
  #left = 0;
  #columns = 1;
  #position = 0;

  read(line: string): void {
    if (this.#left > 0) this.#readContent(line);
    else if (line.startsWith("diff ")) this.#file = { previous: undefined, before: undefined, after: "" };
    else if (!this.#file) return;
    else if (line.startsWith("index ")) {
      const [, before = "", after = ""] = /^index ([0-9a-f]+)[0-9a-f,]*\.\.([0-9a-f]+)/.exec(line) ?? [];
      this.#file.before = /^0+$/.test(before) ? undefined : before;
      this.#file.after = after;
    } else if (line.startsWith("rename from "))
      this.#file.previous = unquotePath(line.slice("rename from ".length));
    else if (line.startsWith("copy from "))
      this.#file.previous = unquotePath(line.slice("copy from ".length));
    else if (line.startsWith("+++ ")) this.#startFile(unquotePath(line.slice(4)));
    else if (line.startsWith("@@")) this.#startHunk(line);
  }

  #startFile(named: string): void {
    if (!this.#file || named === "/dev/null") {
      this.#file = undefined;
      return;
    }
    const file = named.replace(/^b\//, "");
    const { previous = file, before, after } = this.#file;
    const [addedKeys, removedKeys] = [new Set<string>(), new Set<string>()];
    this.changes.push({ file, previousFile: previous, before, after, added: [], addedKeys, removedKeys });
  }

  #startHunk(line: string): void {
    const signs = /^@+/.exec(line)?.[0].length ?? 2;
    this.#columns = signs - 1;
    const counts = [...line.matchAll(/[-+](\d+)(?:,(\d+))?/g)].slice(0, this.#columns + 1);
    const added = counts.at(-1);
    const start = Number(added?.[1] ?? 0);
    const count = Number(added?.[2] ?? 1);
    this.#position = count === 0 ? start : start - 1;
    const removed = counts.slice(0, -1).reduce((sum, [, , lines]) => sum + Number(lines ?? 1), 0);
    const change = this.changes.at(-1);
    if (this.#columns > 1) {
      // Lines are counted off: which of them the parents have is only in their signs.
      this.#left = Number.POSITIVE_INFINITY;
      return;
    }
    if (change && count > 0) change.added.push({ start: this.#position, count });
    this.#left = removed + count;
  }

  /** A line of a hunk. With several parents, hunks end where no line has their signs. */
  #readContent(line: string): void {
    if (line.startsWith("\\")) return;
    const change = this.changes.at(-1);
    if (this.#columns === 1) {
      this.#left--;
      (line.startsWith("+") ? change?.addedKeys : change?.removedKeys)?.add(
        toKey(line.slice(1).replace(/\r$/, "")),
      );
      return;
    }
    const signs = line.slice(0, this.#columns);
    if (!/^[-+ ]+$/.test(signs)) {
      this.#left = 0;
      this.read(line);
      return;
    }
    if (signs.includes("-")) return;
    if (!signs.includes(" ")) {
      change?.added.push({ start: this.#position, count: 1 });
      change?.addedKeys.add(toKey(line.slice(this.#columns).replace(/\r$/, "")));
    }
    this.#position++;
  }
}
