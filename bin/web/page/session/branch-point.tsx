import { counted } from "../../../format/safe.ts";
import type { BranchRows } from "./branch-rows.ts";
import { wayTo } from "./way-to.ts";

interface Props {
  rows: BranchRows;
  position: number;
  addressOf: (params: Record<string, string>) => string;
}

/** So many other ways are named; more stand in the tree. */
const MOST_WAYS = 12;

/** Where a session goes on in more than one way: the others, each a link to its end. */
export function BranchPoint({ rows, position, addressOf }: Props) {
  const { tree } = rows;
  if (tree.childCount(position) < 2) return null;
  const row = rows.rowOf(position) as number;
  const place = rows.positions(row).indexOf(position);
  const next = rows.positions(row)[place + 1] ?? rows.positions(row + 1)?.[0];
  const others = Array.from(tree.children(position)).filter((child) => child !== next);
  if (others.length === 0) return null;
  return (
    <nav class="branch-point" aria-label="Other ways from here">
      <span>{counted(others.length, "other way", "other ways")} from here:</span>
      {others.slice(0, MOST_WAYS).map((child) => {
        const isCurrent = tree.endFrom(child) === tree.count - 1;
        const words = tree.kindAt(child)?.word ?? "entry";
        return (
          <a key={child} class="chip" href={addressOf(wayTo(tree, child, false))}>
            {words} {isCurrent ? "· current branch" : `· line ${tree.line[child]}`}
          </a>
        );
      })}
    </nav>
  );
}
