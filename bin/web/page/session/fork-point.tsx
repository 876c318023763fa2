import { oneLine } from "../../../format/safe.ts";
import { ago } from "../../../format/times.ts";
import { titleOf } from "../../../format/titles.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { sessionAddress } from "../shell/address.ts";
import type { ForkPlaces } from "./fork-places.ts";

/** Maximum number of links at one entry; the header lists all forks. */
const MAX_LINKS = 12;

/** The title of a fork and its last activity, because forks often have the title of their source. */
export function forkTitle({ session }: ForkLink): string {
  return `${oneLine(titleOf(session)).slice(0, 80)}, ${ago(new Date(session.modified))}`;
}

/** Links to the forks made at an entry, or to the parent at the last entry shared with it. */
export function ForkPoint({ places, position }: { places: ForkPlaces; position: number }) {
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
              href={sessionAddress(fork.session.path, { line: fork.lineThere })}
            >
              <bdi>{oneLine(titleOf(fork.session)).slice(0, 80)}</bdi>
              <span>· {ago(new Date(fork.session.modified))}</span>
            </a>
          ))}
        </nav>
      )}
      {parent && (
        <p class="branch-point fork-point fork-begin">
          <span>Entries above are from</span>
          <a class="chip" href={sessionAddress(parent.session.path, { line: parent.lineThere })}>
            <bdi>{oneLine(titleOf(parent.session)).slice(0, 80)}</bdi>
          </a>
        </p>
      )}
    </>
  );
}
