/** The tree of a session: branches are lanes, notable entries are rows with links. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatMoment } from "../../../format/times.ts";
import type { ForkLink } from "../../api/session-answers.ts";
import { sessionUrl } from "../shell/address.ts";
import { formatForkTitle } from "./branch-links.tsx";
import type { BranchRows } from "./branch-rows.ts";
import { toEntryParams } from "./entry-addresses.ts";
import type { ForkPositions } from "./linked-sessions.ts";
import { layOutTree, type TreeLayout } from "./tree-layout.ts";
import { usePreviews } from "./use-previews.ts";
import { useVirtual } from "./use-virtual.ts";

/** Height of a row and width of a lane, in pixels. */
const ROW = 30;
const LANE = 14;

interface Props {
  path: string;
  rows: BranchRows;
  forkPositions: ForkPositions;
  /** The entry being read. */
  seen: number | undefined;
  addressOf: (params: Record<string, string>) => string;
  onGo: () => void;
}

export function TreeView({ path, rows, forkPositions, seen, addressOf, onGo }: Props) {
  const { tree } = rows;
  const { forks } = forkPositions;
  const picture = useMemo(() => layOutTree(tree, forks), [tree, forks]);
  const onBranch = useMemo(() => new Set(rows.path), [rows]);
  const strong = useMemo(() => branchLanes(picture, onBranch), [picture, onBranch]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtual({
    count: picture.positions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => picture.positions[index] as number,
    overscan: 8,
    paddingStart: 8,
    paddingEnd: 8,
  });
  const items = virtual.getVirtualItems();
  const previews = usePreviews(
    path,
    tree.origin,
    items.map(({ index }) => tree.line[picture.positions[index] as number] as number),
  );
  const here = seen === undefined ? -1 : findReadRow(picture, onBranch, seen);
  useEffect(() => {
    if (here >= 0) virtual.scrollToIndex(here, { align: "auto" });
  }, [here, virtual]);
  return (
    <div
      class="tree-scroller"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
      tabIndex={0}
    >
      <ol class="tree-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const position = picture.positions[index] as number;
          const isOn = onBranch.has(position);
          const line = tree.line[position] as number;
          const label = tree.labels.get(position);
          const time = tree.time[position] as number;
          const { word = "entry", role, type } = tree.kindAt(position) ?? {};
          const kind =
            role === "user" ? "person" : role === undefined && type !== "message" ? "note" : "other";
          const text = previews.get(line);
          return (
            <li key={key} style={{ transform: `translateY(${start}px)` }}>
              <a
                class={`tree-row tree-${kind}${isOn ? " tree-on" : ""}`}
                href={addressOf(toEntryParams(tree, position, isOn))}
                aria-current={index === here ? "location" : undefined}
                title={Number.isNaN(time) ? undefined : formatMoment(new Date(time))}
                onClick={onGo}
              >
                <Lanes {...{ picture, index, strong }} width={(countLanes(picture, index) + 1) * LANE} />
                {label !== undefined && <bdi class="chip tree-label">{toOneLine(label)}</bdi>}
                <span class={role === "user" ? "unseen" : "tree-word"}>{word}</span>
                <bdi class="tree-text">{text ?? ""}</bdi>
              </a>
              <ForkMark
                forks={forks.get(position) ?? []}
                entry={addressOf(toEntryParams(tree, position, isOn))}
                onGo={onGo}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The number of lanes that a row has room for: each as many as it needs, so that a few rows with branches do not indent all others. */
function countLanes({ lanes, lanesIn, lanesOut, begins }: TreeLayout, row: number): number {
  const used = (lanesIn[row] ?? 0) | (lanesOut[row] ?? 0) | (begins[row] ?? 0) | (1 << (lanes[row] ?? 0));
  return 32 - Math.clz32(used);
}

interface ForkMarkProps {
  forks: readonly ForkLink[];
  /** The entry's address, where all forks are linked if there are several. */
  entry: string;
  onGo: () => void;
}

/** A mark where the session was forked into another file. */
function ForkMark({ forks, entry, onGo }: ForkMarkProps) {
  const [only, ...others] = forks;
  if (!only) return null;
  const isOne = others.length === 0;
  const title = isOne
    ? `Fork: ${formatForkTitle(only)}`
    : `${formatCount(forks.length, "fork")} at this entry`;
  const href = isOne ? sessionUrl(only.session.path, { line: only.lineThere }) : entry;
  return (
    <a class="tree-fork" {...{ href, title, onClick: onGo }}>
      <span class="unseen">{title}</span>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4.5 5v6M4.5 9.5c0-2.5 7-1.5 7-4.5" />
        <circle cx="4.5" cy="3.5" r="1.6" />
        <circle cx="4.5" cy="12.5" r="1.6" />
        <circle cx="11.5" cy="3.5" r="1.6" />
      </svg>
      {!isOne && <span aria-hidden="true">{forks.length}</span>}
    </a>
  );
}

/** The row of the last entry on the branch at or before `seen`. */
function findReadRow({ positions }: TreeLayout, onBranch: ReadonlySet<number>, seen: number): number {
  return positions.findLastIndex((position) => position <= seen && onBranch.has(position));
}

/** The lane by which the displayed branch enters each row; -1 if it does not. */
function branchLanes({ positions, lanes }: TreeLayout, onBranch: ReadonlySet<number>): Int8Array {
  const strong = new Int8Array(positions.length + 1).fill(-1);
  let next = -1;
  for (let row = positions.length - 1; row >= 0; row--) {
    if (onBranch.has(positions[row] as number)) next = lanes[row] as number;
    strong[row] = next;
  }
  return strong;
}

interface LanesProps {
  picture: TreeLayout;
  index: number;
  strong: Int8Array;
  width: number;
}

function Lanes({ picture, index, strong, width }: LanesProps) {
  const { lanesIn, lanesOut, begins, lanes } = picture;
  const middle = ROW / 2;
  const lane = lanes[index] as number;
  const x = (of: number) => LANE * (of + 0.75);
  const paths: { d: string; isStrong: boolean }[] = [];
  for (let of = 0; of < picture.width; of++) {
    const bit = 1 << of;
    if ((lanesIn[index] as number) & bit)
      paths.push({ d: `M${x(of)} 0V${middle}`, isStrong: index > 0 && strong[index] === of });
    if ((lanesOut[index] as number) & bit)
      paths.push({ d: `M${x(of)} ${middle}V${ROW}`, isStrong: strong[index + 1] === of });
    if ((begins[index] as number) & bit) {
      const curve = `M${x(lane)} ${middle}C${x(lane)} ${ROW} ${x(of)} ${middle} ${x(of)} ${ROW}`;
      paths.push({ d: curve, isStrong: strong[index + 1] === of && strong[index] === lane });
    }
  }
  return (
    <svg class="lanes" width={width} height={ROW} viewBox={`0 0 ${width} ${ROW}`} aria-hidden="true">
      {paths
        .sort((a, b) => Number(a.isStrong) - Number(b.isStrong))
        .map(({ d, isStrong }) => (
          <path key={d} d={d} class={isStrong ? "lane-strong" : undefined} />
        ))}
      <circle cx={x(lane)} cy={middle} r={4} />
    </svg>
  );
}
