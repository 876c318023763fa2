/** The displayed branch as a virtual list: only the visible rows and some around them are in the page. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import {
  DisplayContext,
  type EntryLinks,
  type FoldState,
  toHighlightPattern,
} from "../entries/display-options.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { LimitedMap } from "../shell/limited-map.ts";
import { useKeys } from "../shell/use-keys.ts";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import { EntryStore } from "./entry-store.ts";
import { type RowProps, TranscriptRow } from "./transcript-row.tsx";
import { useVirtual } from "./use-virtual.ts";

interface Props extends Omit<RowProps, "row" | "store"> {
  path: string;
  /** The row of the entry in the address. */
  at: number | undefined;
  /** Words to highlight. */
  found: string | undefined;
  links: EntryLinks;
  onSeen: (position: number) => void;
  /** Set to the row selected by keys, or else the row at the top. */
  currentRow: { current: number };
  /** Changes whenever the file does. */
  version: number;
  /** Whether an agent may be running. */
  isLive: boolean;
}

/** Distance from the end, in pixels, that counts as being at the end. */
const END_THRESHOLD_PX = 60;
/** Parts whose state outlives their rows. */
const MAX_FOLDED_PARTS = 5000;
/** Rows beyond the visible ones to load entries for. */
const PRELOADED_ROWS = 20;

/** The state saved for going back and forward. */
interface Kept {
  /** The key of the row at the top. */
  key: number | "end";
  below: number;
  cursor: number | undefined;
  folding: FoldState;
}

export function Transcript({
  path,
  rows,
  at,
  found,
  links,
  currentRow,
  version,
  isLive,
  onSeen,
  ...row
}: Props) {
  const scroller = useRef<HTMLElement>(null);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const store = useMemo(
    () => new EntryStore(path, () => rerender(undefined as never)),
    [path, rows.tree.origin],
  );
  useEffect(() => () => store.close(), [store]);
  useEffect(() => store.retry(), [store, version]);
  const folding = useMemo(
    (): FoldState =>
      getRestoredState<Kept>("transcript")?.folding ?? new LimitedMap<string, boolean>(MAX_FOLDED_PARTS),
    [path],
  );
  const display = useMemo(
    () => ({ links, folding, highlightPattern: toHighlightPattern(found) }),
    [links, folding, found],
  );
  /** The row selected by keys. */
  const [cursor, setCursor] = useState<number>();
  /** The row to keep in place while rows above are loaded and measured, until the user scrolls. */
  const target = useRef<number | "end" | undefined>("end");
  /** Offset from the top of that row, in pixels. */
  const below = useRef(0);
  const [seen, setSeen] = useState(rows.count);
  const virtual = useVirtual({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rows.estimateHeight(index),
    getItemKey: (index) => rows.key(index),
    overscan: 4,
    paddingStart: 16,
    paddingEnd: 48,
    anchorTo: "end",
    scrollEndThreshold: END_THRESHOLD_PX,
  });
  // Rows above the viewport keep their place: a loaded row grows upwards, an expanded one downwards.
  const fetched = useMemo(() => new Set<number>(), [store]);
  virtual.shouldAdjustScrollPositionOnItemSizeChange = ({ index, start, end }) => {
    const offset = virtual.scrollOffset ?? 0;
    const key = rows.key(index);
    const isNew = !fetched.has(key);
    if (store.get(rows.tree.line[key] as number)) fetched.add(key);
    return end <= offset || (isNew && start < offset);
  };
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const isAtEnd = target.current === "end" || virtual.isAtEnd(END_THRESHOLD_PX);

  const go = useCallback(
    (to: number | "end") => {
      target.current = to;
      if (to === "end") virtual.scrollToEnd();
      else if (below.current === 0) virtual.scrollToIndex(to, { align: "start" });
      else virtual.scrollToOffset((virtual.getOffsetForIndex(to, "start")?.[0] ?? 0) + below.current);
    },
    [virtual],
  );
  useLayoutEffect(() => {
    // The restored position need not be the entry in the address. Its row may be on another branch.
    const kept = getRestoredState<Kept>("transcript");
    const restored = kept === undefined || kept.key === "end" ? kept?.key : rows.findRow(kept.key);
    const to = restored ?? at;
    if (to === undefined) return;
    below.current = restored === undefined ? 0 : (kept?.below ?? 0);
    setCursor(restored === undefined ? at : kept?.cursor);
    go(to);
  }, [at, go]);
  // Loading and measuring move rows, so this restores the position.
  useLayoutEffect(() => {
    if (target.current !== undefined && last >= 0) go(target.current);
  }, [go, virtual.getTotalSize(), rows, last >= 0]);
  useEffect(() => {
    if (last >= 0)
      store.request(
        rows.listBatchLines(
          Math.max(0, first - PRELOADED_ROWS),
          Math.min(rows.count - 1, last + PRELOADED_ROWS),
        ),
      );
  }, [store, rows, first, last]);
  useEffect(() => {
    if (isAtEnd) setSeen(rows.count);
  }, [isAtEnd, rows.count]);
  const top = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 80)?.index ?? first;
  const read = typeof target.current === "number" ? target.current : isAtEnd ? rows.count - 1 : top;
  useEffect(() => {
    if (rows.count > 0 && last >= 0) onSeen(rows.key(Math.min(read, rows.count - 1)));
  }, [rows, read, last < 0]);

  const releaseTarget = () => {
    target.current = undefined;
    below.current = 0;
  };
  const topRow = virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0);
  useEffect(() => {
    if (last < 0 || !topRow) return;
    const key = isAtEnd ? "end" : rows.key(topRow.index);
    const below = (virtual.scrollOffset ?? 0) - topRow.start;
    saveViewState("transcript", { key, below, cursor, folding } satisfies Kept);
  });
  const current = cursor ?? top;
  currentRow.current = current;
  const goTo = (to: number | "end") => {
    below.current = 0;
    setCursor(to === "end" ? rows.count - 1 : to);
    go(to);
  };
  const move = (by: number) => {
    const from = cursor ?? (isAtEnd && by < 0 ? rows.count : top - (by > 0 ? 1 : 0));
    const to = Math.min(rows.count - 1, Math.max(0, from + by));
    setCursor(to);
    target.current = undefined;
    virtual.scrollToIndex(to, { align: "auto" });
  };
  /** Expands or collapses all parts of the current row. */
  const fold = () => {
    const element = scroller.current?.querySelector(`[data-index="${current}"]`);
    const parts = [...(element?.querySelectorAll("details") ?? [])];
    const open = parts.some((part) => !part.open);
    for (const part of parts) part.open = open;
  };
  useKeys({ j: () => move(1), k: () => move(-1), g: () => goTo(0), G: () => goTo("end"), o: fold });
  const unread = isAtEnd ? 0 : Math.max(0, rows.count - seen);

  return (
    <div class="transcript">
      {store.error !== undefined && <ErrorMessage error={store.error} />}
      <section
        class="transcript-scroller"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        aria-label="Transcript"
        onWheel={releaseTarget}
        onTouchMove={releaseTarget}
        onPointerDown={releaseTarget}
        onKeyDown={({ key }) => {
          if (/^(Arrow|Page|Home|End| )/.test(key)) releaseTarget();
        }}
      >
        <div class="transcript-all" style={{ height: virtual.getTotalSize() }}>
          <ol class="transcript-seen" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            <DisplayContext.Provider value={display}>
              {items.map(({ key, index }) => (
                <li
                  key={key}
                  data-index={index}
                  ref={virtual.measureElement}
                  class={`row${index === at ? " row-named" : ""}${index === cursor ? " row-here" : ""}`}
                  aria-current={index === cursor ? "true" : undefined}
                  aria-posinset={index + 1}
                  aria-setsize={rows.count}
                >
                  <TranscriptRow {...{ rows, store }} row={index} {...row} />
                </li>
              ))}
            </DisplayContext.Provider>
          </ol>
        </div>
      </section>
      {isLive && isAtEnd && <span class="chip chip-live transcript-following">Following</span>}
      {unread > 0 && (
        <button type="button" class="button button-main transcript-fresh" onClick={() => goTo("end")}>
          {formatCount(unread, "new entry", "new entries")} ↓
        </button>
      )}
    </div>
  );
}
