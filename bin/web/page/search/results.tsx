import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { correctQuery } from "../../../format/closest.ts";
import { hub } from "../shell/source.ts";
import { BulkBar } from "./bulk-bar.tsx";
import type { RangeCosts } from "./range-costs.ts";
import { type Narrow, ResultRow } from "./result-row.tsx";
import { useRowKeys } from "./use-row-keys.ts";
import type { SearchResults } from "./use-search-results.ts";
import { useSelection } from "./use-selection.ts";

interface ResultsProps {
  found: SearchResults;
  /** The query; the session view also marks its matches. */
  q: string;
  isWaiting: boolean;
  /** Whether the results are those of a range of days. */
  isDated: boolean;
  rangeCosts: RangeCosts | undefined;
  onNarrow: Narrow;
  /** Runs another query. */
  onQuery: (q: string) => void;
  /** The end of the list is visible. */
  onEnd: () => void;
}

/** The results as a list. Arrow keys, or j and k, move between sessions. */
export function Results({ found, q, isWaiting, onNarrow, onQuery, onEnd, ...props }: ResultsProps) {
  const { isDated, rangeCosts } = props;
  const list = useRef<HTMLOListElement>(null);
  useRowKeys(list, ".result-title");
  const paths = found.sessions.map(({ session }) => session.path);
  const { selected, select, selectOnly } = useSelection(paths);
  const chosen = found.sessions.flatMap(({ session }) => (selected.has(session.path) ? [session] : []));
  const canChange = hub.value === undefined;
  const corrected = correctQuery(q, found.corrections ?? []);
  const firstClosest = found.closest
    ? found.sessions.findIndex(({ hits }) => hits.some(({ missing }) => missing !== undefined))
    : -1;
  return (
    <>
      <ol
        ref={list}
        class={chosen.length > 0 ? "results results-selecting" : "results"}
        aria-busy={isWaiting}
      >
        {found.sessions.map((item, n) => (
          <Fragment key={item.session.path}>
            {n === firstClosest && (
              <li class="closest">
                {found.closest}
                {corrected !== undefined && (
                  <>
                    {". "}
                    <button type="button" class="link" onClick={() => onQuery(corrected)}>
                      Search for “{corrected}”
                    </button>
                  </>
                )}
              </li>
            )}
            <ResultRow
              found={item}
              {...{ q, onNarrow, isDated }}
              rangeCostUsd={rangeCosts?.costUsdOf(item.session.path)}
              stated={found.missing}
              onSelect={canChange ? select : undefined}
              isSelected={selected.has(item.session.path)}
            />
          </Fragment>
        ))}
      </ol>
      {canChange && <BulkBar selected={chosen} onSelect={selectOnly} />}
      {found.next !== undefined && <End key={found.next} onSeen={onEnd} />}
    </>
  );
}

/** Calls `onSeen` when it is nearly visible. */
function End({ onSeen }: { onSeen: () => void }) {
  const mark = useRef<HTMLParagraphElement>(null);
  const seen = useRef(onSeen);
  seen.current = onSeen;
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) seen.current();
      },
      { rootMargin: "200px" },
    );
    if (mark.current) observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return (
    <p ref={mark} class="quiet results-end">
      Loading …
    </p>
  );
}
