/** The tool calls of the groups on the screen, loaded after the rest: a group shows the numbers of its calls until then. */
import { useEffect, useMemo, useReducer } from "preact/hooks";
import type { NamedCall } from "../../../format/call-files.ts";
import { apiGet } from "../shell/api.ts";
import { LimitedMap } from "../shell/limited-map.ts";
import type { CallGroup, TranscriptRows } from "./transcript-rows.ts";

/** Maximum number of entries to keep the calls of. */
const MAX_KEPT = 5000;
/** Entries per request, and in the largest group that names its calls. */
const BATCH_SIZE = 400;

/**
 * @param first the first row on the screen, and `last` the last one
 * @returns the calls of a group; undefined until they have loaded, or if there are too many
 */
export function useGroupCalls(
  session: string,
  rows: TranscriptRows,
  first: number,
  last: number,
): (group: CallGroup) => NamedCall[] | undefined {
  const { tree } = rows.branch;
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const loaded = useMemo(() => new LimitedMap<number, NamedCall[]>(MAX_KEPT), [session, tree.origin]);
  const linesOf = (group: CallGroup) =>
    Array.from(
      { length: group.last - group.first + 1 },
      (_, n) => tree.line[rows.branch.key(group.first + n)] as number,
    );
  const missing: number[] = [];
  for (let row = first; row <= last; row++) {
    const group = rows.group(row);
    if (!group || group.last - group.first >= BATCH_SIZE) continue;
    const lines = linesOf(group).filter((line) => !loaded.has(line));
    if (missing.length + lines.length <= BATCH_SIZE) missing.push(...lines);
  }
  const wanted = missing.join();
  useEffect(() => {
    if (wanted === "") return undefined;
    const stop = new AbortController();
    apiGet("calls", { session, lines: wanted }, stop.signal).then(
      ({ calls }) => {
        for (const each of calls) loaded.set(each.line, each.calls);
        rerender(undefined as never);
      },
      () => {}, // aborted, or the server does not respond, which the transcript says
    );
    return () => stop.abort();
  }, [session, loaded, wanted]);
  return (group) => {
    if (group.last - group.first >= BATCH_SIZE) return undefined;
    const calls = linesOf(group).map((line) => loaded.get(line));
    return calls.includes(undefined) ? undefined : (calls as NamedCall[][]).flat();
  };
}
