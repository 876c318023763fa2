/** The displayed branch as a virtual list: only the visible rows and some around them are in the page. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import type { SessionLink } from "../../api/session-answers.ts";
import type { EntryLinks, FoldState } from "../entries/display-options.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import type { BranchRows } from "./branch-rows.ts";
import { EntryStore } from "./entry-store.ts";
import { createFolding } from "./folding.ts";
import type { ForkPositions } from "./fork-positions.ts";
import { TranscriptRow } from "./transcript-row.tsx";
import { useVirtual } from "./use-virtual.ts";

/** Actions of the transcript, for the rest of the view. */
export interface TranscriptControl {
  goTo(row: number | "end"): void;
  move(by: number): void;
  /** Expands or collapses all parts of the current row. */
  fold(): void;
  row(): number;
}

interface Props {
  path: string;
  rows: BranchRows;
  /** The row of the entry in the address. */
  at: number | undefined;
  found: string | undefined;
  links: EntryLinks;
  subagents: ReadonlyMap<number, readonly SessionLink[]>;
  forkPositions: ForkPositions;
  addressOf: (params: Record<string, string>) => string;
  onLabel: (entryId: string, label: string) => void;
  onSeen: (position: number) => void;
  control: { current: TranscriptControl | undefined };
  /** Changes whenever the file does. */
  version: number;
  /** Whether an agent may be running. */
  isLive: boolean;
}

/** Distance from the end, in pixels, that counts as being at the end. */
const END_THRESHOLD_PX = 60;
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

/** The saved row, if the view is being restored and the row is on this branch. */
function keptTarget(rows: BranchRows): number | "end" | undefined {
  const kept = getRestoredState<Kept>("transcript");
  return kept === undefined || kept.key === "end" ? kept?.key : rows.findRow(kept.key);
}

export function Transcript({ path, rows, at, control, version, isLive, onSeen, ...row }: Props) {
  const scroller = useRef<HTMLElement>(null);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const store = useMemo(
    () => new EntryStore(path, () => rerender(undefined as never)),
    [path, rows.tree.origin],
  );
  useEffect(() => () => store.close(), [store]);
  useEffect(() => store.retry(), [store, version]);
  const folding = useMemo(() => getRestoredState<Kept>("transcript")?.folding ?? createFolding(), [path]);
  /** The row selected by keys. */
  const [cursor, setCursor] = useState(() => getRestoredState<Kept>("transcript")?.cursor);
  /** The row to keep in place while rows above are loaded and measured, until the user scrolls. */
  const target = useRef<number | "end" | undefined>(keptTarget(rows) ?? at ?? "end");
  /** Offset from the top of that row, in pixels. */
  const below = useRef(getRestoredState<Kept>("transcript")?.below ?? 0);
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
    const restored = keptTarget(rows);
    if (restored !== undefined) {
      // The restored position, which need not be the entry in the address.
      below.current = getRestoredState<Kept>("transcript")?.below ?? 0;
      setCursor(getRestoredState<Kept>("transcript")?.cursor);
      go(restored);
    } else if (at !== undefined) {
      below.current = 0;
      setCursor(at);
      go(at);
    }
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
    const saved = { key: isAtEnd ? ("end" as const) : rows.key(topRow.index), cursor, folding };
    saveViewState("transcript", {
      ...saved,
      below: (virtual.scrollOffset ?? 0) - topRow.start,
    } satisfies Kept);
  });
  control.current = {
    goTo: (to) => {
      below.current = 0;
      setCursor(to === "end" ? rows.count - 1 : to);
      go(to);
    },
    move(by) {
      const from = cursor ?? (isAtEnd && by < 0 ? rows.count : top - (by > 0 ? 1 : 0));
      const to = Math.min(rows.count - 1, Math.max(0, from + by));
      setCursor(to);
      target.current = undefined;
      virtual.scrollToIndex(to, { align: "auto" });
    },
    fold() {
      const element = scroller.current?.querySelector(`[data-index="${cursor ?? top}"]`);
      const parts = [...(element?.querySelectorAll("details") ?? [])];
      const open = parts.some((part) => !part.open);
      for (const part of parts) part.open = open;
    },
    row: () => cursor ?? top,
  };
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
                <TranscriptRow {...{ rows, store, folding }} row={index} {...row} />
              </li>
            ))}
          </ol>
        </div>
      </section>
      {isLive && isAtEnd && <span class="chip chip-live transcript-following">Following</span>}
      {unread > 0 && (
        <button
          type="button"
          class="button button-main transcript-fresh"
          onClick={() => control.current?.goTo("end")}
        >
          {formatCount(unread, "new entry", "new entries")} ↓
        </button>
      )}
    </div>
  );
}
