/** The tree of the displayed session, kept up to date. */
import { useRef } from "preact/hooks";
import { apiGet, useLoaded } from "../shell/api.ts";
import { SessionTree } from "./session-tree.ts";

interface LoadedOutline {
  tree: SessionTree;
  /** The rows of the entries in the address; undefined if missing. */
  at: number | undefined;
  leaf: number | undefined;
  /** The parameters of this response. The address may have changed since. */
  params: { at: string; leaf: string };
}

/** The tree, of which the unknown part is requested whenever the session changes. `session` must stay the same. */
export function useOutline(
  session: string,
  version: number,
  at: string,
  leaf: string,
): Partial<LoadedOutline> & { error: unknown } {
  const known = useRef<SessionTree>(undefined);
  const { data, error } = useLoaded(
    JSON.stringify([at, leaf]),
    version,
    async (signal): Promise<LoadedOutline> => {
      const before = known.current;
      const params = { session, at, leaf, ...(before && { from: before.count, mark: before.mark }) };
      const answer = await apiGet("outline", params, signal);
      const isSame = before && answer.from === before.count && answer.count === before.count;
      const hasSameLabels = isSame && JSON.stringify(answer.labels) === JSON.stringify([...before.labels]);
      const tree = hasSameLabels ? before : new SessionTree(answer, answer.from > 0 ? before : undefined);
      known.current = tree;
      return { tree, at: answer.at, leaf: answer.leaf, params: { at, leaf } };
    },
  );
  return { ...data, error };
}
