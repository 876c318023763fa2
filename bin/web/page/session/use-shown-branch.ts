/** The branch that the address selects, and the entry in it. */
import { useMemo } from "preact/hooks";
import type { Params } from "../shell/address.ts";
import { BranchRows } from "./branch-rows.ts";
import { useOutline } from "./use-outline.ts";

/** Of the parameters `entry`, `line` and `leaf`. `session` must stay the same. */
export function useShownBranch(session: string, version: number, params: Params) {
  const { entry = "", line = "", leaf = "" } = params;
  const outlined = useOutline(session, version, entry, leaf);
  const { tree, error } = outlined;
  const isCurrent = outlined.params?.leaf === leaf && (entry === "" || outlined.params.at === entry);
  const requested = entry !== "" ? outlined.at : line !== "" ? tree?.findByLine(Number(line)) : undefined;
  const at = isCurrent ? requested : undefined;
  const shown = useMemo(() => {
    if (!tree || tree.count === 0) return undefined;
    const current = new BranchRows(
      tree,
      outlined.leaf === undefined ? tree.count - 1 : tree.newestLeafFrom(outlined.leaf),
    );
    // Shows the requested entry, whatever branch it is on.
    if (at === undefined || leaf !== "" || current.findRow(at) !== undefined) return current;
    return new BranchRows(tree, tree.newestLeafFrom(at));
  }, [tree, outlined.leaf, at, leaf]);
  return {
    tree,
    error,
    /** Undefined until it is known, and if the session has no entries. */
    shown,
    /** Whether this answers the current address. */
    isCurrent,
    /** The position of the entry in the address. */
    at,
    /** The entry in the address if it does not exist. */
    unknown: tree && isCurrent && entry !== "" && at === undefined ? entry : undefined,
  };
}
