/** The displayed branch as a virtual list: only the visible rows and some around them are in the page. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import {
  DisplayContext,
  type EntryLinks,
  type FoldState,
  type OpenImages,
} from "../entries/display-options.ts";
import { useCommands } from "../shell/commands.ts";
import { LoadError } from "../shell/load-error.tsx";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import { CallsRow } from "./calls-row.tsx";
import { EntryStore } from "./entry-store.ts";
import type { OpenedCalls } from "./file-list.tsx";
import { ImageDialog } from "./image-dialog.tsx";
import { PrintedRows } from "./printed-rows.tsx";
import { PromptAbove } from "./prompt-above.tsx";
import { TranscriptEnd } from "./transcript-end.tsx";
import { type EntrySource, type RowProps, TranscriptRow } from "./transcript-row.tsx";
import { type CallGroup, FILTERS, type Filter, type TranscriptRows } from "./transcript-rows.ts";
import type { Find } from "./use-find.ts";
import { useGroupCalls } from "./use-group-calls.ts";
import { useMatch } from "./use-match.ts";
import { usePreviews } from "./use-previews.ts";
import { useTranscriptRows } from "./use-transcript-rows.ts";
import { useVirtual } from "./use-virtual.ts";

interface Props extends Omit<RowProps, "row" | "store" | "isContinued"> {
  path: string;
  /** The row of the entry in the address. */
  at: number | undefined;
  find: Find;
  filter: Filter;
  /** Whether everything is expanded that the user did not collapse. */
  isExpanded: boolean;
  links: EntryLinks;
  onSeen: (position: number) => void;
  /** Whether diffs have two columns. */
  isSplit: boolean;
  /** Calls that were gone to in the list of files. */
  openedCalls: OpenedCalls | undefined;
  /** Set to the row selected by keys, or else the row at the top. */
  currentRow: { current: number };
  /** Set to what goes to the next (1) or previous (-1) prompt. */
  goToPrompt: { current: (by: 1 | -1) => void };
  /** Changes whenever the file does. */
  version: number;
  /** The session's folder. */
  folder: string | undefined;
  /** Whether an agent may be running. */
  isLive: boolean;
  /** Called when the transcript was printed. Undefined unless it is being printed. */
  onPrinted: (() => void) | undefined;
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

interface Place {
  shown: string;
  /** The entry in the address, the last jump to it, and the calls that it opened. */
  at?: number | undefined;
  jump: object;
  calls?: unknown;
  message: number;
  /** Where the user was before the filter, and where it began. */
  origin?: { from: number; to: number } | undefined;
}

/** The row of a message, or of the first one after it that is shown, else the last row. */
function findRowFrom(rows: TranscriptRows, message: number): number | undefined {
  if (rows.count === 0) return undefined;
  const row = rows.findRow(message);
  const isIt = rows.message(row) >= message || rows.findGroup(message) !== undefined;
  return isIt ? row : Math.min(row + 1, rows.count - 1);
}

function toRow(rows: TranscriptRows, message: number | undefined): number | undefined {
  return message === undefined ? undefined : rows.findRow(message);
}

export function Transcript({
  path,
  rows: branch,
  at: atMessage,
  find: { highlighted, hit, stepMatch, jump, onMatch },
  filter,
  isExpanded,
  isSplit,
  openedCalls,
  links,
  folder,
  currentRow,
  goToPrompt,
  version,
  isLive,
  onPrinted,
  onSeen,
  ...row
}: Props) {
  const scroller = useRef<HTMLElement>(null);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const store = useMemo(
    () => new EntryStore(path, () => rerender(undefined as never)),
    [path, branch.tree.origin],
  );
  useEffect(() => () => store.close(), [store]);
  useEffect(() => store.retry(), [store, version]);
  const { subagents, forkPositions } = row;
  const { rows, folding, toggled, isGroupOpened, setGroup } = useTranscriptRows({
    ...{ path, branch, filter, isExpanded, isLive, subagents, forkPositions },
    restore: () => getRestoredState<Kept>("transcript")?.folding,
  });
  /** How often calls were opened: their rows are rendered again with it, because parts start open or not. */
  const openings = useRef(0);
  useMemo(() => {
    for (const part of openedCalls?.parts ?? []) folding.set(`${openedCalls?.line}/call${part}`, true);
    openings.current++;
  }, [openedCalls]);
  const startsOpen = (row: number) =>
    branch.tree.line[rows.position(row)] === openedCalls?.line && !rows.group(row);
  // Not in the row: a row that is scrolled away, as new entries arrive, is removed.
  const [openImage, setOpenImage] = useState<OpenImages>();
  const display = useMemo(
    () => ({
      ...{ links, folder, folding, found: highlighted, isExpanded, hidesCalls: filter === "conversation" },
      failedOnly: filter === "errors",
      opensEdits: filter === "edits",
      splitsDiffs: isSplit,
      onOpenImage: (images: OpenImages) => setOpenImage(images),
    }),
    [links, folder, folding, highlighted, isExpanded, filter, isSplit],
  );
  const toggleGroup = (group: CallGroup, isOpen: boolean) => {
    target.current = undefined;
    setGroup(group, isOpen);
  };
  /** The key of the row selected by keys. Rows get other numbers when groups change, such as when forks are known. */
  const [cursorKey, setCursorKey] = useState<number>();
  const cursor = cursorKey === undefined ? undefined : rows.findKey(cursorKey);
  const setCursor = (row: number | undefined) => setCursorKey(row === undefined ? undefined : rows.key(row));
  // What an agent does now is at the end. Other sessions are read from the beginning, as any document.
  /** The row to keep in place while rows above are loaded and measured, until the user scrolls. */
  const target = useRef<number | "end" | undefined>(isLive ? "end" : 0);
  const numbered = useRef(rows);
  if (numbered.current !== rows) {
    const before = numbered.current;
    if (typeof target.current === "number" && target.current < before.count)
      target.current = rows.findKey(before.key(target.current)) ?? target.current;
    numbered.current = rows;
  }
  /** Offset from the top of that row, in pixels. */
  const below = useRef(0);
  /** Whether that row is there for the current match: then this is kept in the middle. */
  const isMatchTarget = useRef(false);
  /** Whether the group of the entry in the address is being opened. */
  const isEntering = useRef(false);
  /** Entries from this position on are new. */
  const [seen, setSeen] = useState(branch.tree.count);
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
    if (rows.group(index) || store.get(branch.tree.line[key] as number)) fetched.add(key);
    return end <= offset || (isNew && start < offset);
  };
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const groupCalls = useGroupCalls(path, rows, first, last);
  const lineOf = (message: number) => branch.tree.line[branch.key(message)] as number;
  const prompts = usePreviews(
    path,
    branch.tree.origin,
    items.flatMap(({ index }) => rows.promptAbove(index) ?? []).map(lineOf),
  );
  const isAtEnd = target.current === "end" || virtual.isAtEnd(END_THRESHOLD_PX);

  const named = toRow(rows, atMessage);
  const hitRow =
    hit !== undefined && named !== undefined && rows.message(named) === atMessage ? named : undefined;
  const rowLine = branch.count > 0 ? lineOf(atMessage ?? 0) : undefined;
  const match = useMatch({
    scroller,
    // Not after the user has gone elsewhere by keys.
    row: cursor === hitRow ? hitRow : undefined,
    line: hit ?? 0,
    rowLine: rowLine ?? 0,
    onCount: onMatch,
  });
  const go = (to: number | "end") => {
    target.current = to;
    if (to === "end") return virtual.scrollToEnd();
    const middle = isMatchTarget.current && to === hitRow ? match.reveal() : undefined;
    const item =
      middle === undefined ? undefined : virtual.getVirtualItems().find(({ index }) => index === to);
    if (item && middle !== undefined) virtual.scrollToOffset(Math.max(0, item.start + middle));
    else if (to === 0 && below.current === 0)
      virtual.scrollToOffset(0); // with the space above it
    else if (below.current === 0) virtual.scrollToIndex(to, { align: "start" });
    else virtual.scrollToOffset((virtual.getOffsetForIndex(to, "start")?.[0] ?? 0) + below.current);
  };
  /** Goes to the entry in the address. */
  const enter = () => {
    // The restored position need not be the entry in the address. Its row may be on another branch.
    const kept = getRestoredState<Kept>("transcript");
    const restored =
      kept === undefined || kept.key === "end" ? kept?.key : toRow(rows, branch.findRow(kept.key));
    isEntering.current = false;
    const at = toRow(rows, atMessage);
    const group = restored === undefined && at !== undefined && rows.group(at);
    if (group && !group.isOpen) {
      isEntering.current = true; // goes on as soon as its row exists
      if (!isGroupOpened(group)) toggleGroup(group, true);
      return;
    }
    const to = restored ?? at;
    if (to === undefined) return;
    isMatchTarget.current = restored === undefined;
    below.current = restored === undefined ? 0 : (kept?.below ?? 0);
    if (restored === undefined) setCursor(at);
    else setCursorKey(kept?.cursor);
    go(to);
  };
  useLayoutEffect(() => {
    match.start(jump.by);
    enter();
  }, [atMessage, jump, openedCalls]);
  useLayoutEffect(() => {
    if (isEntering.current) enter();
  }, [toggled]);
  /** What was shown, and the message that was read: another filter begins there, and goes back there if the user has not moved. */
  const place = useRef<Place>({ shown: "", jump, message: 0 });
  const shown = `${filter} ${isExpanded}`;
  useLayoutEffect(() => {
    const { shown: before, message, origin, at } = place.current;
    if (before === "" || before === shown) return;
    // A link to an entry may end the filter.
    if (at !== atMessage || place.current.jump !== jump || place.current.calls !== openedCalls) return;
    const from = origin && origin.to === message && filter === "all" ? origin.from : message;
    const row = findRowFrom(rows, from);
    if (row === undefined) return;
    const to = rows.message(row);
    place.current.origin = filter === "all" ? undefined : { from: origin?.from ?? from, to };
    goTo(row);
  }, [shown]);
  useEffect(() => {
    if (rows.count > 0)
      place.current = {
        ...place.current,
        shown,
        at: atMessage,
        jump,
        calls: openedCalls,
        message: currentRow.current,
      };
  });
  const isHitRendered =
    cursor === hitRow &&
    items.some(({ index }) => index === hitRow) &&
    [hit, rowLine].every((line) => line !== undefined && store.get(line) !== undefined);
  // Loading and measuring move rows, so this restores the position.
  useLayoutEffect(() => {
    if (target.current !== undefined && last >= 0) go(target.current);
  }, [virtual.getTotalSize(), rows, last >= 0, isHitRendered]);
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
    if (isAtEnd) setSeen(branch.tree.count);
  }, [isAtEnd, branch.tree.count]);
  const top = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 80)?.index ?? first;
  const seenRow = typeof target.current === "number" ? target.current : isAtEnd ? rows.count - 1 : top;
  useEffect(() => {
    if (rows.count > 0 && last >= 0) onSeen(rows.position(Math.min(seenRow, rows.count - 1)));
  }, [rows, seenRow, last < 0]);

  const releaseTarget = () => {
    target.current = undefined;
    below.current = 0;
  };
  const topRow = virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0);
  useEffect(() => {
    if (last < 0 || !topRow) return;
    const key = isAtEnd ? "end" : rows.position(topRow.index);
    const below = (virtual.scrollOffset ?? 0) - topRow.start;
    saveViewState("transcript", { key, below, cursor: cursorKey, folding } satisfies Kept);
  });
  const current = cursor ?? top;
  stepMatch.current = (by) => {
    if (hitRow === undefined || cursor !== hitRow || !match.step(by)) return false;
    isMatchTarget.current = true;
    below.current = 0;
    go(hitRow);
    rerender(undefined as never);
    return true;
  };
  // Not a row that was scrolled off the screen.
  const read = items.some(({ index }) => index === cursor) ? current : (topRow?.index ?? top);
  currentRow.current = rows.count > 0 ? rows.message(Math.min(read, rows.count - 1)) : 0;
  const goTo = (to: number | "end") => {
    below.current = 0;
    isMatchTarget.current = false;
    setCursor(to === "end" ? rows.count - 1 : to);
    go(to);
  };
  const move = (by: 1 | -1) => {
    const from = cursor ?? (isAtEnd && by < 0 ? rows.count : top - (by > 0 ? 1 : 0));
    const to = rows.findEntry(from, by);
    if (to === undefined) return;
    setCursor(to);
    target.current = undefined;
    virtual.scrollToIndex(to, { align: "auto" });
  };
  /** Expands or collapses all parts of the current row. */
  const fold = () => {
    target.current = undefined;
    const group = rows.count > 0 ? rows.group(Math.min(current, rows.count - 1)) : undefined;
    if (group) return toggleGroup(group, !group.isOpen);
    const element = scroller.current?.querySelector(`[data-index="${current}"]`);
    const parts = [...(element?.querySelectorAll("details") ?? [])];
    const open = parts.some((part) => !part.open);
    for (const part of parts) part.open = open;
  };
  goToPrompt.current = (by) => {
    const to = rows.findPrompt(cursor ?? (by > 0 ? top - 1 : top + (isAtEnd ? 1 : 0)), by);
    if (to !== undefined) goTo(to);
  };
  useCommands("session", () => ({
    next: () => move(1),
    previous: () => move(-1),
    first: () => goTo(0),
    last: () => goTo("end"),
    fold,
  }));
  const unread = isAtEnd ? 0 : rows.countFrom(seen);

  const renderRow = (rows: TranscriptRows, index: number, store: EntrySource) => {
    const group = rows.group(index);
    if (group)
      return (
        <CallsRow
          {...{ rows }}
          row={index}
          calls={groupCalls(group)}
          onToggle={() => toggleGroup(group, !group.isOpen)}
        />
      );
    const isContinued = rows.isContinued(index);
    const prompt = rows.promptAbove(index);
    return (
      <>
        {prompt !== undefined && (
          <PromptAbove {...{ branch, prompt }} text={prompts.get(lineOf(prompt))} addressOf={row.addressOf} />
        )}
        <TranscriptRow rows={branch} {...{ store, isContinued }} row={rows.message(index)} {...row} />
      </>
    );
  };

  return (
    <div class={isSplit ? "transcript transcript-split" : "transcript"}>
      {rows.count === 0 && filter !== "all" && (
        <p class="transcript-empty">Nothing of this session is shown with this filter.</p>
      )}
      {store.error !== undefined && <LoadError error={store.error} />}
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
          if (/^(Arrow|Page|Home|End|Enter| )/.test(key)) releaseTarget();
        }}
      >
        <div class="transcript-all" style={{ height: virtual.getTotalSize() }}>
          <ol class="transcript-seen" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            <DisplayContext.Provider value={display}>
              {items.map(({ key, index }) => (
                <li
                  key={`${isExpanded} ${filter === "errors"} ${filter === "edits"} ${key} ${startsOpen(index) ? openings.current : 0}`} // parts start open or not
                  data-index={index}
                  ref={virtual.measureElement}
                  class={`row${index === named ? " row-named" : ""}${index === cursor ? " row-here" : ""}${rows.isContinued(index) ? " row-continued" : ""}${rows.isGrouped(index) ? " row-grouped" : ""}`}
                  aria-current={index === cursor ? "true" : undefined}
                  aria-posinset={index + 1}
                  aria-setsize={rows.count}
                >
                  {renderRow(rows, index, store)}
                </li>
              ))}
            </DisplayContext.Provider>
          </ol>
        </div>
      </section>
      {filter !== "all" && <p class="print-note">Printed with the filter “{FILTERS[filter]}”.</p>}
      {items.length < rows.count && !onPrinted && (
        <p class="print-note">
          Only the entries on the screen are printed. To print all, choose Print in the session’s ⋯ menu.
        </p>
      )}
      {openImage && <ImageDialog {...openImage} onClose={() => setOpenImage(undefined)} />}
      <DisplayContext.Provider value={isSplit ? { ...display, splitsDiffs: false } : display}>
        {onPrinted && <PrintedRows {...{ path, rows, renderRow }} onEnd={onPrinted} />}
      </DisplayContext.Provider>
      <TranscriptEnd {...{ isLive, isAtEnd, unread }} onGo={() => goTo("end")} />
    </div>
  );
}
