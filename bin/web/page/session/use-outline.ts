/** The tree of the displayed session, kept up to date. */
import { useRef } from "preact/hooks";
import { apiGet, useLoaded } from "../shell/api.ts";
import { SessionTree } from "./session-tree.ts";

/**
 * The tree, of which the unknown part is requested whenever the session changes, and the rows of the entries in the address.
 * `session` must stay the same.
 */
export function useOutline(session: string, version: number, at: string, leaf: string) {
  const known = useRef<SessionTree>(undefined);
  const { data, error } = useLoaded(JSON.stringify([at, leaf]), version, async (signal) => {
    const before = known.current;
    const params = { session, at, leaf, ...(before && { from: before.count, mark: before.mark }) };
    const answer = await apiGet("outline", params, signal);
    const isSame = before && answer.from === before.count && answer.count === before.count;
    const hasSameLabels = isSame && JSON.stringify(answer.labels) === JSON.stringify([...before.labels]);
    const tree = hasSameLabels ? before : new SessionTree(answer, answer.from > 0 ? before : undefined);
    known.current = tree;
    // With the parameters of this response, because the address may have changed since.
    return { tree, at: answer.at, leaf: answer.leaf, params: { at, leaf } };
  });
  return { ...data, error };
}
