/** Where the displayed session was forked, and where its forks and subagents start. */
import type { Answers } from "../../api/answers.ts";
import type { ForkLink, SessionLink } from "../../api/session-answers.ts";
import type { BranchRows } from "./branch-rows.ts";
import { findLastAtMost, type SessionTree } from "./session-tree.ts";

export type ForkPositions = ReturnType<typeof locateForks>;

/** The forks, and the parent, by the position of the last shared entry. */
export function locateForks(tree: SessionTree | undefined, answer: Answers["forks"] | undefined) {
  const forks = Map.groupBy(answer?.forks ?? [], ({ line }) => tree?.findByLine(line));
  forks.delete(undefined);
  const position = answer?.parent && tree?.findByLine(answer.parent.line);
  const parent = answer?.parent && position !== undefined ? { position, from: answer.parent } : undefined;
  return { forks: forks as ReadonlyMap<number, readonly ForkLink[]>, parent };
}

/** Subagent sessions by the position of the entry that started them, found by the file in its result, or else by time. */
export function locateSubagents(
  rows: BranchRows,
  subagents: readonly SessionLink[],
): ReadonlyMap<number, readonly SessionLink[]> {
  const { tree, path } = rows;
  let times: Float64Array | undefined;
  const positionOf = ({ session }: SessionLink): number | undefined => {
    const position = tree.positionByRunFile.get(session.path);
    const started = Date.parse(session.created ?? "");
    if (position !== undefined || Number.isNaN(started)) return position;
    // A run starts right after the message that calls it, which is the last entry before the start.
    times ??= Float64Array.from(path, (position) => tree.time[position] as number);
    return path[findLastAtMost(times, started)];
  };
  const found = Map.groupBy(subagents, positionOf);
  found.delete(undefined);
  return found as Map<number, SessionLink[]>;
}
