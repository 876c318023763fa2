import { Fragment } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { hub } from "../shell/source.ts";
import { useKeys } from "../shell/use-keys.ts";
import { BulkBar } from "./bulk-bar.tsx";
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
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const chosen = found.sessions.flatMap(({ session }) => (selected.has(session.path) ? [session] : []));
  const shown = useRef(found.sessions);
  shown.current = found.sessions;
  const last = useRef<string>(undefined);
  const select = useCallback((path: string, isSelected: boolean, isRange: boolean) => {
    const paths = shown.current.map(({ session }) => session.path);
    const [from, to] = [isRange && last.current ? paths.indexOf(last.current) : -1, paths.indexOf(path)];
    const changed = from < 0 ? [path] : paths.slice(Math.min(from, to), Math.max(from, to) + 1);
    last.current = path;
    setSelected((before) => {
      const after = new Set(before);
      for (const each of changed) isSelected ? after.add(each) : after.delete(each);
      return after;
    });
  }, []);
  const canChange = hub.value === undefined;
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
            {n === firstClosest && <li class="closest">{found.closest}</li>}
            <ResultRow
              found={item}
              {...{ q, onNarrow }}
              onSelect={canChange ? select : undefined}
              isSelected={selected.has(item.session.path)}
            />
          </Fragment>
        ))}
      </ol>
      {canChange && <BulkBar selected={chosen} onSelect={(paths) => setSelected(new Set(paths))} />}
      {found.next !== undefined && <End key={found.next} onSeen={onEnd} />}
    </>
  );
}

const NONE: ReadonlySet<string> = new Set();

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
  const toggle = () => {
    const row = document.activeElement?.closest(".result");
    const box = list.current?.contains(row ?? null) ? row?.querySelector<HTMLElement>(".result-check") : null;
    if (!box) return false;
    box.click();
    return true;
  };
  useKeys({ x: toggle, ArrowDown: go(1), j: go(1), ArrowUp: go(-1), k: go(-1) });
}
