/** Which entry of a session started which subagent's session. */
import type { SessionLink } from "../../api/session-answers.ts";
import type { BranchRows } from "./branch-rows.ts";
import { lastAtMost } from "./session-tree.ts";

/** The sessions of subagents by the position of the entry that started them: as its result names them, else by time. */
export function startedBy(
  rows: BranchRows,
  subagents: readonly SessionLink[],
): ReadonlyMap<number, readonly SessionLink[]> {
  const { tree, path } = rows;
  let times: Float64Array | undefined;
  const positionOf = ({ session }: SessionLink): number | undefined => {
    const position = tree.positionOfRun.get(session.path);
    const begun = Date.parse(session.created ?? "");
    if (position !== undefined || Number.isNaN(begun)) return position;
    // A run begins right after the answer that calls for it: the last thing that was said until then.
    times ??= Float64Array.from(path, (each) => tree.time[each] as number);
    return path[lastAtMost(times, begun)];
  };
  const found = Map.groupBy(subagents, positionOf);
  found.delete(undefined);
  return found as Map<number, SessionLink[]>;
}
