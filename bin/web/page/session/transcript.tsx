/** The branch that is shown, from its beginning to its end. Of it all the page holds what is seen, and some around it. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { counted } from "../../../format/safe.ts";
import type { SessionLink } from "../../api/session-answers.ts";
import type { EntryLinks, Folding } from "../entries/showing.ts";
import { keepHere, keptHere } from "../shell/places.ts";
import { Trouble } from "../shell/trouble.tsx";
import type { BranchRows } from "./branch-rows.ts";
import { EntryStore } from "./entry-store.ts";
import { newFolding } from "./folding.ts";
import type { ForkPlaces } from "./fork-places.ts";
import { TranscriptRow } from "./transcript-row.tsx";
import { useVirtual } from "./use-virtual.ts";

/** What the rest of the view has the transcript do. */
export interface TranscriptControl {
  goTo(row: number | "end"): void;
  move(by: number): void;
  /** Folds or unfolds all of the row where one is. */
  fold(): void;
  row(): number;
}

interface Props {
  path: string;
  rows: BranchRows;
  /** The row of the entry that the address names. */
  at: number | undefined;
  found: string | undefined;
  links: EntryLinks;
  subagents: ReadonlyMap<number, readonly SessionLink[]>;
  forkPlaces: ForkPlaces;
  addressOf: (params: Record<string, string>) => string;
  onLabel: (entryId: string, label: string) => void;
  onSeen: (position: number) => void;
  control: { current: TranscriptControl | undefined };
  /** Changes whenever the file does. */
  version: number;
  /** Whether an agent may be at work. */
  isLive: boolean;
}

/** So near to the end, in pixels, one is at it. */
const NEAR_END = 60;
/** Rows beyond those that are seen for which entries are fetched. */
const AHEAD = 20;

/** What is kept of it for when one comes back. */
interface Kept {
  /** The row at the top, by its place in the tree. */
  key: number | "end";
  below: number;
  cursor: number | undefined;
  folding: Folding;
}

/** The row to come back to, where one does and it is on this branch. */
function keptTarget(rows: BranchRows): number | "end" | undefined {
  const kept = keptHere<Kept>("transcript");
  return kept === undefined || kept.key === "end" ? kept?.key : rows.rowOf(kept.key);
}

export function Transcript({ path, rows, at, control, version, isLive, onSeen, ...row }: Props) {
  const scroller = useRef<HTMLElement>(null);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const store = useMemo(
    () => new EntryStore(path, () => drawAgain(undefined as never)),
    [path, rows.tree.origin],
  );
  useEffect(() => () => store.close(), [store]);
  useEffect(() => store.retry(), [store, version]);
  const folding = useMemo(() => keptHere<Kept>("transcript")?.folding ?? newFolding(), [path]);
  /** Where one is, by keys. */
  const [cursor, setCursor] = useState(() => keptHere<Kept>("transcript")?.cursor);
  /** Where to stay while what is above is still being fetched and measured; until somebody scrolls. */
  const target = useRef<number | "end" | undefined>(keptTarget(rows) ?? at ?? "end");
  /** How far below the beginning of its row, in pixels. */
  const below = useRef(keptHere<Kept>("transcript")?.below ?? 0);
  const [seen, setSeen] = useState(rows.count);
  const virtual = useVirtual({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rows.heightOf(index),
    getItemKey: (index) => rows.key(index),
    overscan: 4,
    paddingStart: 16,
    paddingEnd: 48,
    anchorTo: "end",
    scrollEndThreshold: NEAR_END,
  });
  // What is above stays where it is: a row that is fetched grows upwards, one that somebody unfolds downwards.
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
  const isAtEnd = target.current === "end" || virtual.isAtEnd(NEAR_END);

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
    const back = keptTarget(rows);
    if (back !== undefined) {
      // Come back to: where one was, which need not be at the entry that the address names.
      below.current = keptHere<Kept>("transcript")?.below ?? 0;
      setCursor(keptHere<Kept>("transcript")?.cursor);
      go(back);
    } else if (at !== undefined) {
      below.current = 0;
      setCursor(at);
      go(at);
    }
  }, [at, go]);
  // What was fetched or measured since moved what one wants to see: not for long.
  useLayoutEffect(() => {
    if (target.current !== undefined && last >= 0) go(target.current);
  }, [go, virtual.getTotalSize(), rows, last >= 0]);
  useEffect(() => {
    if (last >= 0)
      store.want(rows.linesAround(Math.max(0, first - AHEAD), Math.min(rows.count - 1, last + AHEAD)));
  }, [store, rows, first, last]);
  useEffect(() => {
    if (isAtEnd) setSeen(rows.count);
  }, [isAtEnd, rows.count]);
  const top = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 80)?.index ?? first;
  const read = typeof target.current === "number" ? target.current : isAtEnd ? rows.count - 1 : top;
  useEffect(() => {
    if (rows.count > 0 && last >= 0) onSeen(rows.key(Math.min(read, rows.count - 1)));
  }, [rows, read, last < 0]);

  const letGo = () => {
    target.current = undefined;
    below.current = 0;
  };
  const topRow = virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0);
  useEffect(() => {
    if (last < 0 || !topRow) return;
    const place = { key: isAtEnd ? ("end" as const) : rows.key(topRow.index), cursor, folding };
    keepHere("transcript", { ...place, below: (virtual.scrollOffset ?? 0) - topRow.start } satisfies Kept);
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
      const one = scroller.current?.querySelector(`[data-index="${cursor ?? top}"]`);
      const parts = [...(one?.querySelectorAll("details") ?? [])];
      const open = parts.some((part) => !part.open);
      for (const part of parts) part.open = open;
    },
    row: () => cursor ?? top,
  };
  const fresh = isAtEnd ? 0 : Math.max(0, rows.count - seen);

  return (
    <div class="transcript">
      {store.error !== undefined && <Trouble error={store.error} />}
      <section
        class="transcript-scroller"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        aria-label="Transcript"
        onWheel={letGo}
        onTouchMove={letGo}
        onPointerDown={letGo}
        onKeyDown={({ key }) => {
          if (/^(Arrow|Page|Home|End| )/.test(key)) letGo();
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
      {fresh > 0 && (
        <button
          type="button"
          class="button button-main transcript-fresh"
          onClick={() => control.current?.goTo("end")}
        >
          {counted(fresh, "new entry", "new entries")} ↓
        </button>
      )}
    </div>
  );
}
