import { Fragment } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { correctQuery } from "../../../format/closest.ts";
import { extractFieldTexts, toAnyWord } from "../../../format/query-words.ts";
import { hub } from "../shell/source.ts";
import "./results.css";
import { BulkBar } from "./bulk-bar.tsx";
import { ClosestHeading } from "./closest-heading.tsx";
import { dateGroupOf } from "./date-groups.ts";
import type { LoadHits } from "./hits.tsx";
import { type ListDialog, ListDialogs } from "./list-dialogs.tsx";
import type { RangeCosts } from "./range-costs.ts";
import { type Narrow, ResultRow } from "./result-row.tsx";
import { useBulkActions } from "./use-bulk-actions.ts";
import { useListCommands } from "./use-list-commands.ts";
import { type LoadAll, useResultSelection } from "./use-result-selection.ts";
import { useRowKeys } from "./use-row-keys.ts";
import type { SearchResults } from "./use-search-results.ts";

interface ResultsProps {
  found: SearchResults;
  /** The query; the session view also marks its matches. */
  q: string;
  isWaiting: boolean;
  /** The model that they are filtered by, or "". */
  filterModel: string;
  /** Whether the results are those of a range of days. */
  isDated: boolean;
  rangeCosts: RangeCosts | undefined;
  /** Whether hits are not listed. */
  hidesHits: boolean;
  /** Whether they are in groups by date. */
  isGrouped: boolean;
  /** Whether pinned sessions come first. */
  pinnedFirst: boolean;
  onNarrow: Narrow;
  /** Runs another query. */
  onQuery: (q: string) => void;
  onHits: LoadHits | undefined;
  onAll: LoadAll;
  /** The end of the list is visible. */
  onEnd: () => void;
}

/** The results as a list. Arrow keys, or j and k, move between sessions. */
export function Results({
  found,
  q,
  isWaiting,
  onNarrow,
  onQuery,
  onHits,
  onAll,
  onEnd,
  ...props
}: ResultsProps) {
  const { filterModel, isDated, rangeCosts, isGrouped, pinnedFirst, hidesHits } = props;
  const filterModels = useMemo(
    () => [filterModel, ...extractFieldTexts(q, "model")].filter(Boolean),
    [filterModel, q],
  );
  const list = useRef<HTMLOListElement>(null);
  useRowKeys("sessions", list, ".result-title");
  const sessions = found.sessions.map(({ session }) => session);
  const paths = sessions.map(({ path }) => path);
  const { selected, chosen, select, selectOnly, change, all } = useResultSelection(sessions, onAll);
  const acts = useBulkActions({
    onRemoved: (left) => {
      if (chosen.length > 0) selectOnly(left.map(({ path }) => path));
    },
    onChanged: change,
  });
  const [dialog, setDialog] = useState<ListDialog>();
  useListCommands({ list, sessions, selected: chosen, acts, onDialog: setDialog, onSelect: selectOnly });
  useKeptFocus(list, paths);
  const canChange = hub.value === undefined;
  const corrected = correctQuery(q, found.corrections ?? []);
  const anyWord = found.closest ? toAnyWord(corrected ?? q) : undefined;
  const firstClosest = found.closest
    ? found.sessions.findIndex(({ hits }) => hits.some(({ missing }) => missing !== undefined))
    : -1;
  const groups = isGrouped ? sessions.map((session) => dateGroupOf(session, pinnedFirst)) : [];
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
              <ClosestHeading parts={found.closest ?? []} {...{ corrected, anyWord, onQuery }} />
            )}
            {isGrouped && groups[n] !== groups[n - 1] && <li class="results-group">{groups[n]}</li>}
            <ResultRow
              found={item}
              q={(item.hits[0]?.missing && corrected) ?? q}
              {...{ onNarrow, onHits, filterModels, isDated, hidesHits }}
              rangeCostUsd={rangeCosts?.costUsdOf(item.session.path)}
              rangeModel={rangeCosts?.model}
              stated={found.missing}
              onSelect={canChange ? select : undefined}
              isSelected={selected.has(item.session.path)}
            />
          </Fragment>
        ))}
      </ol>
      <BulkBar
        {...{ acts, found }}
        selected={chosen}
        selectAll={all}
        onDialog={(kind) => {
          const [first, ...others] = chosen;
          if (first) setDialog({ kind, sessions: [first, ...others] });
        }}
        onClear={() => selectOnly([])}
      />
      {dialog && <ListDialogs {...dialog} acts={acts} onClose={() => setDialog(undefined)} />}
      {found.next !== undefined && <End key={found.next} onSeen={onEnd} />}
    </>
  );
}

/** When the row with the focus leaves the list, such as an archived session, its successor gets the focus. */
function useKeptFocus(list: { readonly current: HTMLElement | null }, paths: readonly string[]): void {
  const focused = useRef<{ path: string | undefined; index: number }>(undefined);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const row = target instanceof Element && list.current?.contains(target) && target.closest(".result");
      if (target instanceof Element && target.closest("dialog, .bulk")) return; // they give it back
      const index = row ? [...(list.current?.querySelectorAll(".result") ?? [])].indexOf(row) : -1;
      focused.current = index < 0 ? undefined : { path: shown.current[index], index };
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  }, []);
  const shown = useRef(paths);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = paths;
    const last = focused.current;
    if (!last || document.activeElement !== document.body || paths.includes(last.path ?? "")) return;
    const links = list.current?.querySelectorAll<HTMLElement>(".result-title") ?? [];
    // Others before it may have left, too.
    const left = new Set(paths);
    const earlier = before.slice(0, Math.max(before.indexOf(last.path ?? ""), 0));
    const index = earlier.length > 0 ? earlier.filter((path) => left.has(path)).length : last.index;
    links[Math.min(index, links.length - 1)]?.focus();
  });
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
