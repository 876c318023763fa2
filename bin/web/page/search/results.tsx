import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../shell/use-keys.ts";
import { type Narrow, ResultRow } from "./result-row.tsx";
import type { SearchResults } from "./use-search-results.ts";

interface ResultsProps {
  found: SearchResults;
  /** The query; the session view also marks its matches. */
  q: string;
  isWaiting: boolean;
  onNarrow: Narrow;
  /** The end of the list is visible. */
  onEnd: () => void;
}

/** The results as a list. Arrow keys, or j and k, move between sessions. */
export function Results({ found, q, isWaiting, onNarrow, onEnd }: ResultsProps) {
  const list = useRef<HTMLOListElement>(null);
  useRowKeys(list);
  const firstClosest = found.closest
    ? found.sessions.findIndex(({ hits }) => hits.some(({ missing }) => missing !== undefined))
    : -1;
  return (
    <>
      <ol ref={list} class="results" aria-busy={isWaiting}>
        {found.sessions.map((item, n) => (
          <Fragment key={item.session.path}>
            {n === firstClosest && <li class="closest">{found.closest}</li>}
            <ResultRow found={item} {...{ q, onNarrow }} />
          </Fragment>
        ))}
      </ol>
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

/** Moves the focus between rows, if it is in the list or nowhere. */
function useRowKeys(list: { readonly current: HTMLElement | null }): void {
  const go = (step: number) => () => {
    const { activeElement } = document;
    if (activeElement !== document.body && !list.current?.contains(activeElement)) return false;
    const titles = [...(list.current?.querySelectorAll<HTMLElement>(".result-title") ?? [])];
    const at = titles.findIndex((title) => title.closest(".result") === activeElement?.closest(".result"));
    if (at === 0 && step < 0) document.querySelector<HTMLElement>(".query-input")?.focus();
    else titles[Math.min(titles.length - 1, at + step)]?.focus();
    return true;
  };
  useKeys({ ArrowDown: go(1), j: go(1), ArrowUp: go(-1), k: go(-1) });
}
