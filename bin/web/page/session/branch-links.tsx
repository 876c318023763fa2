/** Links at an entry where branches or sessions part. */
import { formatCount } from "../../../format/safe.ts";
import { formatRelativeTime } from "../../../format/times.ts";
import { getShortTitle } from "../../../format/titles.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { sessionUrl } from "../shell/address.ts";
import type { BranchRows } from "./branch-rows.ts";
import { toEntryParams } from "./entry-addresses.ts";
import type { ForkPositions } from "./linked-sessions.ts";

/** Maximum number of links at one entry; the tree shows all branches, the header all forks. */
const MAX_LINKS = 12;

interface Props {
  rows: BranchRows;
  position: number;
  addressOf: (params: Record<string, string>) => string;
}

/** Links to the ends of the other branches at an entry with several children. */
export function BranchPoint({ rows, position, addressOf }: Props) {
  const { tree } = rows;
  if (tree.childCount(position) < 2) return null;
  const next = rows.path[rows.path.indexOf(position) + 1];
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

/** The title of a fork and its last activity, because forks often have the title of their source. */
export function formatForkTitle({ session }: ForkLink): string {
  return `${getShortTitle(session, 80)}, ${formatRelativeTime(new Date(session.modified))}`;
}

/** Links to the forks made at an entry, or to the parent at the last entry shared with it. */
export function ForkPoint({ places, position }: { places: ForkPositions; position: number }) {
  const forks = places.forks.get(position) ?? [];
  const parent = places.parent?.position === position ? places.parent.from : undefined;
  return (
    <>
      {forks.length > 0 && (
        <nav class="branch-point fork-point" aria-label="Forks at this entry">
          <span>Forked here:</span>
          {forks.slice(0, MAX_LINKS).map((fork) => (
            <a
              key={fork.session.path}
              class="chip"
              href={sessionUrl(fork.session.path, { line: fork.lineThere })}
            >
              <bdi>{getShortTitle(fork.session, 80)}</bdi>
              <span>· {formatRelativeTime(new Date(fork.session.modified))}</span>
            </a>
          ))}
        </nav>
      )}
      {parent && (
        <p class="branch-point fork-point fork-begin">
          <span>Entries above are from</span>
          <a class="chip" href={sessionUrl(parent.session.path, { line: parent.lineThere })}>
            <bdi>{getShortTitle(parent.session, 80)}</bdi>
          </a>
        </p>
      )}
    </>
  );
}
