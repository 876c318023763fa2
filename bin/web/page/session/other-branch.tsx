/** Says that the displayed branch is not the current one, which everything else about the session is about. */
import { formatCount } from "../../../format/safe.ts";
import type { BranchRows } from "./branch-rows.ts";

interface Props {
  /** The displayed branch. */
  rows: BranchRows;
  addressOf: (params: Record<string, string>) => string;
}

export function OtherBranch({ rows, addressOf }: Props) {
  const { tree, path } = rows;
  if (path.at(-1) === tree.count - 1) return null;
  const messages = path.filter((position) => tree.kindAt(position)?.role !== undefined).length;
  return (
    <p class="other-branch" role="note">
      Another branch, {formatCount(messages, "message")}.{" "}
      <a href={addressOf({ leaf: "", entry: "", line: "" })}>Show the current branch</a>
    </p>
  );
}
