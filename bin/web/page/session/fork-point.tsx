import { oneLine } from "../../../format/safe.ts";
import { ago } from "../../../format/times.ts";
import { titleOf } from "../../../format/titles.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { sessionAddress } from "../shell/address.ts";
import type { ForkPlaces } from "./fork-places.ts";

/** So many forks are named at one entry; all are named above the transcript. */
const MOST_NAMED = 12;

/** The title of a fork, which often is that of its source, and when it was active last. */
export function forkTitle({ session }: ForkLink): string {
  return `${oneLine(titleOf(session)).slice(0, 80)}, ${ago(new Date(session.modified))}`;
}

/** Where the session went on in other files: a link to each. And where it came off another one itself. */
export function ForkPoint({ places, position }: { places: ForkPlaces; position: number }) {
  const forks = places.forks.get(position) ?? [];
  const parent = places.parent?.position === position ? places.parent.from : undefined;
  return (
    <>
      {forks.length > 0 && (
        <nav class="branch-point fork-point" aria-label="Forks from here">
          <span>forked here:</span>
          {forks.slice(0, MOST_NAMED).map((fork) => (
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
          <span>what is above is from</span>
          <a class="chip" href={sessionAddress(parent.session.path, { line: parent.lineThere })}>
            <bdi>{oneLine(titleOf(parent.session)).slice(0, 80)}</bdi>
          </a>
        </p>
      )}
    </>
  );
}
