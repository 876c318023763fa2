/** Finds the entries that started subagent sessions. */
import type { SessionLink } from "../../api/session-answers.ts";
import type { BranchRows } from "./branch-rows.ts";
import { findLastAtMost } from "./session-tree.ts";

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
