/** Compares the answers of `blame`, `commits` and `uncommitted` with the truth of a generated history. */
import type { GitHistory } from "../../fixtures/git/history.ts";
import type { Commit, Index } from "../../library/index.ts";

/** Right, wrong and missing answers. */
export interface Score {
  right: number;
  wrong: number;
  missed: number;
  /** The cases of wrong and missing ones. */
  details: string[];
}

export interface Scores {
  lines: Score;
  commits: Score;
  uncommitted: Score;
}

export const toPrecision = ({ right, wrong }: Score): number =>
  right + wrong === 0 ? 1 : right / (right + wrong);
export const toRecall = ({ right, missed }: Score): number =>
  right + missed === 0 ? 1 : right / (right + missed);

const newScore = (): Score => ({ right: 0, wrong: 0, missed: 0, details: [] });

/** @param index a synced index of the history's sessions */
export async function measure(index: Index, history: GitHistory, certain = false): Promise<Scores> {
  const ids = new Map(history.sessions.map(({ id, path }) => [path, id]));
  const toId = (path: string | undefined) => (path === undefined ? null : (ids.get(path) ?? path));
  return {
    lines: await measureLines(index, history, toId, certain),
    commits: await measureCommits(index, history, toId, certain),
    uncommitted: await measureUncommitted(index, history, toId, certain),
  };
}

type ToId = (path: string | undefined) => string | null;

async function measureLines(index: Index, history: GitHistory, toId: ToId, certain: boolean): Promise<Score> {
  const score = newScore();
  const files = Map.groupBy(history.lines, ({ repo, file }) => `${repo}/${file}`);
  for (const [path, truths] of files) {
    const { lines } = await index.blame(path, { certain });
    for (const [n, truth] of truths.entries()) {
      const found = toId(lines[n]?.session);
      const isPromptRight =
        found !== truth.session || truth.doubtful || lines[n]?.prompt === truth.promptText;
      const detail = `${truth.case} ${path}:${truth.line} "${truth.text}" is ${truth.session}, found ${found} (${lines[n]?.confidence}) ${truth.doubtful ?? ""}`;
      if (found !== null) {
        const isRight = truth.accept.includes(found) && isPromptRight;
        score[isRight ? "right" : "wrong"]++;
        if (!isRight) score.details.push(`WRONG ${detail} ${isPromptRight ? "" : "prompt"}`);
      } else if (!truth.accept.includes(null)) {
        score.missed++;
        score.details.push(`missed ${detail}`);
      }
    }
  }
  return score;
}

async function measureCommits(
  index: Index,
  history: GitHistory,
  toId: ToId,
  certain: boolean,
): Promise<Score> {
  const score = newScore();
  for (const [folder, truths] of Map.groupBy(history.commits, ({ repo }) => repo)) {
    const branches = history.branches.filter(({ repo }) => repo === folder).map(({ branch }) => branch);
    const bySha = new Map<string, Commit>();
    for (const range of branches) {
      for (const commit of (await index.commits({ folder, range, certain })).commits)
        bySha.set(commit.commit, commit);
    }
    for (const truth of truths) {
      // Commits that are on no branch any more are named.
      const commit =
        bySha.get(truth.sha) ?? (await index.commits({ folder, rev: truth.sha, certain })).commits[0];
      const found = new Set(commit?.sessions.map(({ session }) => toId(session)));
      const detail = `${truth.case} ${folder} ${truth.sha.slice(0, 8)}`;
      for (const id of found) {
        const isRight = id !== null && truth.sessions.includes(id);
        score[isRight ? "right" : "wrong"]++;
        if (!isRight) score.details.push(`WRONG ${detail} has not ${id}`);
      }
      for (const id of truth.sessions) {
        if (found.has(id) || truth.maybe.includes(id)) continue;
        score.missed++;
        score.details.push(`missed ${detail} has ${id}`);
      }
    }
  }
  return score;
}

/** Right are sessions with uncommitted lines in a file; to be found are those that the truth lists as pending. */
async function measureUncommitted(
  index: Index,
  history: GitHistory,
  toId: ToId,
  certain: boolean,
): Promise<Score> {
  const score = newScore();
  for (const { path: folder } of history.repos) {
    const { files } = await index.uncommitted({ folder, certain });
    const found = new Set(files.map(({ file, session }) => `${file} ${toId(session)}`));
    const lines = history.lines.filter(({ repo, commit }) => repo === folder && commit === null);
    const right = new Set(lines.flatMap(({ file, accept }) => accept.map((id) => `${file} ${id}`)));
    for (const each of found) {
      score[right.has(each) ? "right" : "wrong"]++;
      if (!right.has(each)) score.details.push(`WRONG ${folder} ${each}`);
    }
    for (const { repo, file, session, pending } of history.uncommitted) {
      if (repo !== folder || !pending || found.has(`${file} ${session}`)) continue;
      score.missed++;
      score.details.push(`missed ${folder} ${file} ${session}`);
    }
  }
  return score;
}
