import { toOneLine } from "../../../format/safe.ts";
import { formatRelativeTime } from "../../../format/times.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { sessionUrl } from "../shell/address.ts";
import type { ForkPositions } from "./fork-positions.ts";

/** Maximum number of links at one entry; the header lists all forks. */
const MAX_LINKS = 12;

/** The title of a fork and its last activity, because forks often have the title of their source. */
export function formatForkTitle({ session }: ForkLink): string {
  return `${toOneLine(getSessionTitle(session)).slice(0, 80)}, ${formatRelativeTime(new Date(session.modified))}`;
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
              <bdi>{toOneLine(getSessionTitle(fork.session)).slice(0, 80)}</bdi>
              <span>· {formatRelativeTime(new Date(fork.session.modified))}</span>
            </a>
          ))}
        </nav>
      )}
      {parent && (
        <p class="branch-point fork-point fork-begin">
          <span>Entries above are from</span>
          <a class="chip" href={sessionUrl(parent.session.path, { line: parent.lineThere })}>
            <bdi>{toOneLine(getSessionTitle(parent.session)).slice(0, 80)}</bdi>
          </a>
        </p>
      )}
    </>
  );
}
