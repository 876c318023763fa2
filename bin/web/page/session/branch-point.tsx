import { formatCount } from "../../../format/safe.ts";
import type { BranchRows } from "./branch-rows.ts";
import { toEntryParams } from "./entry-params.ts";

interface Props {
  rows: BranchRows;
  position: number;
  addressOf: (params: Record<string, string>) => string;
}

/** Maximum number of links; the tree shows all branches. */
const MAX_LINKS = 12;

/** Links to the ends of the other branches at an entry with several children. */
export function BranchPoint({ rows, position, addressOf }: Props) {
  const { tree } = rows;
  if (tree.childCount(position) < 2) return null;
  const row = rows.findRow(position) as number;
  const index = rows.positions(row).indexOf(position);
  const next = rows.positions(row)[index + 1] ?? rows.positions(row + 1)?.[0];
  const others = Array.from(tree.children(position)).filter((child) => child !== next);
  if (others.length === 0) return null;
  return (
    <nav class="branch-point" aria-label="Other branches">
      <span>{formatCount(others.length, "other branch", "other branches")}:</span>
      {others.slice(0, MAX_LINKS).map((child) => {
        const isCurrent = tree.newestLeafFrom(child) === tree.count - 1;
        const kind = tree.kindAt(child)?.word ?? "entry";
        return (
          <a key={child} class="chip" href={addressOf(toEntryParams(tree, child, false))}>
            {kind} {isCurrent ? "· current branch" : `· line ${tree.line[child]}`}
          </a>
        );
      })}
    </nav>
  );
}
