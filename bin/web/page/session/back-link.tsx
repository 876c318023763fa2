/** The way back to the list, and from result to result without it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { formatInteger } from "../../../format/safe.ts";
import { getLastSearch, sessionUrl, withParams } from "../shell/address.ts";
import { getKey, useCommands } from "../shell/commands.ts";
import { findInTrail, findViewBefore, stepInTrail } from "../shell/result-trail.ts";

/** Where the way back leads. */
export interface WayBack {
  /** The address of the list, with the query and the filters, or of the usage. */
  address: string;
  /** Goes there, to the row and the scroll position that were left, if this session was reached from there. */
  go: () => void;
  /** What is there. */
  name: "Results" | "Sessions" | "Usage";
}

/** @param q the query in the address, for links that were opened elsewhere */
export function useWayBack(q: string): WayBack {
  const { route } = useLocation();
  // Of the first render, because the address changes as the user goes from entry to entry.
  const [back] = useState(() => {
    const view = findViewBefore();
    const last = getLastSearch();
    const address = last === "/" ? withParams("/", { q }) : last;
    return { view, address: view && !view.isList ? view.address : address };
  });
  const { view } = back;
  const go = () => {
    if (view && window.navigation) window.navigation.traverseTo(view.key);
    else route(back.address);
  };
  return { address: back.address, go, name: !view ? "Sessions" : view.isList ? "Results" : "Usage" };
}

export function BackLink({ way }: { way: WayBack }) {
  const session = useRoute().params.session ?? "";
  const { route } = useLocation();
  const place = way.name === "Results" ? findInTrail(session) : undefined;
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const step = async (by: 1 | -1) => {
    stop.current?.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    // If the server does not respond, the index status says so.
    const next = await stepInTrail(session, by, signal).catch(() => undefined);
    if (next && !signal.aborted) route(sessionUrl(next.name, { q: next.q }));
  };
  useCommands("session", () =>
    place ? { nextSession: () => void step(1), previousSession: () => void step(-1) } : {},
  );
  const { name } = way;
  return (
    <nav class="session-back" aria-label="Results">
      <a
        class="back-link"
        href={way.address}
        title={`Back to the ${name.toLowerCase()} (${getKey("session", "back")})`}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
          event.preventDefault();
          event.stopPropagation(); // the router would push the address
          way.go();
        }}
      >
        <span aria-hidden="true">←</span> <span class="back-name">{name}</span>
      </a>
      {place && (place.count > 1 || place.hasMore) && (
        <span class="back-steps">
          <button
            type="button"
            class="button button-plain"
            aria-label="Previous result"
            title={`Previous result (${getKey("session", "previousSession")})`}
            disabled={place.index === 0}
            onClick={() => step(-1)}
          >
            ‹
          </button>
          <span class="back-place">
            {formatInteger(place.index + 1)} of {formatInteger(place.count)}
            {place.hasMore && "+"}
          </span>
          <button
            type="button"
            class="button button-plain"
            aria-label="Next result"
            title={`Next result (${getKey("session", "nextSession")})`}
            disabled={place.index + 1 === place.count && !place.hasMore}
            onClick={() => step(1)}
          >
            ›
          </button>
        </span>
      )}
    </nav>
  );
}
