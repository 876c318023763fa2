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
  const found = new Map<number, SessionLink[]>();
  const put = (position: number, one: SessionLink) =>
    found.set(position, [...(found.get(position) ?? []), one]);
  const named = new Map<string, number>();
  for (const [position, paths] of tree.runs) for (const file of paths) named.set(file, position);
  let times: Float64Array | undefined;
  for (const one of subagents) {
    const position = named.get(one.session.path);
    if (position !== undefined) {
      put(position, one);
      continue;
    }
    const begun = Date.parse(one.session.created ?? "");
    if (Number.isNaN(begun)) continue;
    // A run begins right after the answer that calls for it: the last thing that was said until then.
    times ??= Float64Array.from(path, (each) => tree.time[each] as number);
    const last = path[lastAtMost(times, begun)];
    if (last !== undefined) put(last, one);
  }
  return found;
}
