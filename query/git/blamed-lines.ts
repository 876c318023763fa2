import { toLines } from "./blob-reader.ts";
import { gitFailed, runGit } from "./run-git.ts";
import { unquotePath } from "./unquote-path.ts";
import { binaryFile } from "./working-tree.ts";

/** Where a line comes from. */
export interface BlamedLine {
  commit: string;
  /** The file's path in that commit, and before it. */
  file: string;
  previousFile: string | undefined;
  /** The line's position in that commit, from 0. */
  position: number;
}

/**
 * The lines of a file in a commit, and the commits that they came with; `lines` is undefined if the commit has no such file.
 *
 * @throws PidexError `BINARY_FILE`, `GIT_FAILED`
 */
export async function readBlame(
  folder: string,
  commit: string,
  file: string,
  signal?: AbortSignal,
): Promise<{ lines: string[] | undefined; blamed: BlamedLine[] }> {
  const shown = await runGit(folder, ["cat-file", "blob", `${commit}:${file}`], signal);
  if (shown.status !== 0) return { lines: undefined, blamed: [] };
  const lines = toLines(shown.output);
  if (!lines) throw binaryFile(file);
  const args = ["blame", "--porcelain", "--no-textconv", commit, "--", file];
  const { status, output, message } = await runGit(folder, args, signal);
  if (status !== 0) throw gitFailed(`git blame failed: ${message}`, "Run git blame on this file.");
  return { lines, blamed: parsePorcelain(output) };
}

function parsePorcelain(output: Buffer): BlamedLine[] {
  const commits = new Map<string, { file: string; previousFile: string | undefined }>();
  const lines: BlamedLine[] = [];
  let [commit, position] = ["", 0];
  let known = { file: "", previousFile: undefined as string | undefined };
  for (let from = 0; from < output.length; ) {
    const next = output.indexOf(10, from);
    const to = next < 0 ? output.length : next;
    if (output[from] === 9) lines.push({ commit, position, ...known });
    else {
      const header = output.toString("utf8", from, Math.min(to, from + 20_000));
      const [, sha, number] = /^([0-9a-f]{40,64}) (\d+) \d+/.exec(header) ?? [];
      if (sha !== undefined) {
        commit = sha;
        position = Number(number) - 1;
        known = commits.get(sha) ?? { file: "", previousFile: undefined };
        commits.set(sha, known);
      } else if (header.startsWith("filename ")) known.file = header.slice("filename ".length);
      else if (header.startsWith("previous "))
        known.previousFile = header.replace(/^previous [0-9a-f]+ /, "");
    }
    from = to + 1;
  }
  return lines.map(({ file, previousFile, ...line }) => ({
    ...line,
    file: unquotePath(file),
    previousFile: previousFile === undefined ? undefined : unquotePath(previousFile),
  }));
}
