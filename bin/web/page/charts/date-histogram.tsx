import { scaleLinear } from "d3-scale";
import { useMemo, useRef, useState } from "preact/hooks";
import "./date-histogram.css";
import { formatInteger } from "../../../format/safe.ts";
import {
  type Bar,
  clipToSpan,
  type DayRange,
  moveRange,
  summarizeBars,
  toBars,
  toDayTicks,
} from "./date-bars.ts";
import { type DaySpan, formatDay, formatIsoDate, formatSpan } from "./days.ts";
import { Tooltip } from "./tooltip.tsx";
import { useWidth } from "./use-width.ts";

interface Props {
  days: readonly { day: string; count: number }[];
  /** The unit of the counts: "hits". */
  what: string;
  range: Partial<DayRange> | undefined;
  onRange: (range: DayRange | undefined) => void;
}

const HEIGHT = 44;
/** Minimum width of a bar and the gap beside it, in pixels. */
const MIN_BAR_PX = 5;

/**
 * A histogram of counts by day. Mouse, touch or keyboard select a range: arrow keys move the focused edge, Shift+arrow keys the
 * other one, Escape clears the range. Without space for single days, bars are weeks, months or longer.
 */
export function DateHistogram({ days, what, range, onRange }: Props) {
  const [ref, width] = useWidth<HTMLElement>();
  const [dragged, setDragged] = useState<DaySpan>(); // while the pointer is down
  const [hovered, setHovered] = useState<number>();
  /** While the pointer is down: the range selected by dragging to an x coordinate. */
  const drag = useRef<(clientX: number) => DaySpan | undefined>(undefined);
  const bars = useMemo(() => toBars(days, range, Math.floor(width / MIN_BAR_PX)), [days, range, width]);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last || width === 0)
    return <figure class="histogram" ref={ref} aria-label={`${what} over time`} />;

  const whole = { from: first.from, until: last.until };
  const before = clipToSpan(range, whole);
  const shown = dragged ?? before;
  const selected = shown ?? whole;
  const x = scaleLinear().domain([whole.from, whole.until]).range([0, width]);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...bars.map(({ count }) => count))])
    .range([0, HEIGHT]);
  const dayAt = (clientX: number) => x.invert(clientX - (ref.current?.getBoundingClientRect().left ?? 0));
  const barAt = (clientX: number) => {
    const day = dayAt(clientX);
    const at = bars.findIndex(({ until }) => day < until);
    return at < 0 ? bars.length - 1 : at;
  };
  const between = (a: number, b: number): DaySpan => ({
    from: (bars[Math.min(a, b)] as Bar).from,
    until: (bars[Math.max(a, b)] as Bar).until,
  });
  const report = ({ from, until }: DaySpan) => {
    const isAll = from <= whole.from && until >= whole.until;
    onRange(isAll ? undefined : { since: formatIsoDate(from), until: formatIsoDate(until) });
  };
  /** The nearest edge of a bar. */
  const edgeAt = (clientX: number) => {
    const { from, until } = bars[barAt(clientX)] as Bar;
    const day = dayAt(clientX);
    return day - from < until - day ? from : until;
  };
  const dragTo = ({ clientX }: PointerEvent) => {
    const to = drag.current?.(clientX);
    if (to) setDragged(to);
  };
  const cancel = () => {
    drag.current = undefined;
    setDragged(undefined);
  };
  const end = () => {
    if (dragged && (dragged.from !== before?.from || dragged.until !== before.until)) report(dragged);
    cancel();
  };
  const press = (edge: keyof DayRange) => (event: KeyboardEvent) => {
    if (event.key === "Escape" && range) {
      event.preventDefault();
      event.stopPropagation();
      return onRange(undefined);
    }
    const to = moveRange(selected, bars, edge, event.key, event.shiftKey);
    if (!to) return;
    event.preventDefault();
    report(to);
  };
  const left = x(selected.from);
  const right = Math.max(left + MIN_BAR_PX, x(selected.until));
  const drawBars = (look: string) =>
    bars.map(({ from, until, count }, n) => {
      const height = count > 0 ? Math.max(2, y(count)) : 0;
      return (
        <rect
          key={from}
          class={look}
          data-under={n === hovered || undefined}
          x={x(from) + 0.5}
          y={HEIGHT - height}
          width={Math.max(1, x(until) - x(from) - 1)}
          height={height}
        />
      );
    });
  const tip = hovered === undefined ? undefined : bars[hovered];
  return (
    <figure class="histogram" ref={ref} aria-label={`${what} over time`}>
      <svg
        class="histogram-plot"
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summarizeBars(bars, what)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const start = barAt(event.clientX);
          drag.current = (clientX) => between(start, barAt(clientX));
          dragTo(event);
        }}
        onPointerMove={(event) => {
          setHovered(barAt(event.clientX));
          dragTo(event);
        }}
        onPointerUp={end}
        onPointerCancel={cancel}
        onPointerLeave={() => setHovered(undefined)}
      >
        <rect class="histogram-ground" width={width} height={HEIGHT} />
        {shown && (
          <rect
            class="histogram-range"
            x={x(shown.from)}
            width={Math.max(0, x(shown.until) - x(shown.from))}
            height={HEIGHT}
          />
        )}
        {drawBars("histogram-bar histogram-bar-out")}
        {/* Clips the bars: the range may be less than a bar. */}
        <svg
          aria-hidden="true"
          x={left}
          width={right - left}
          height={HEIGHT}
          viewBox={`${left} 0 ${right - left} ${HEIGHT}`}
        >
          {drawBars("histogram-bar")}
        </svg>
      </svg>
      {(["since", "until"] as const).map((edge) => {
        const day = edge === "since" ? selected.from : selected.until;
        const labeled = edge === "since" ? day : day - 1;
        return (
          <div
            key={edge}
            class="histogram-edge"
            data-given={shown !== undefined || undefined}
            style={{ left: `${x(Math.min(Math.max(day, whole.from), whole.until))}px` }}
            role="slider"
            tabIndex={0}
            aria-label={edge === "since" ? "First day" : "Last day"}
            aria-valuemin={whole.from}
            aria-valuemax={whole.until}
            aria-valuenow={day}
            aria-valuetext={formatDay(labeled)}
            aria-keyshortcuts="Escape"
            onKeyDown={press(edge)}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              event.preventDefault();
              event.currentTarget.focus();
              const other = edge === "since" ? selected.until : selected.from;
              drag.current = (clientX) => {
                const day = edgeAt(clientX);
                return day === other
                  ? undefined
                  : { from: Math.min(day, other), until: Math.max(day, other) };
              };
            }}
            onPointerMove={dragTo}
            onPointerUp={end}
            onPointerCancel={cancel}
          />
        );
      })}
      <div class="histogram-ticks" aria-hidden="true">
        {toDayTicks(whole, width).map((tick) => (
          <span key={tick.at} style={{ left: `${tick.at}px` }}>
            {tick.label}
          </span>
        ))}
      </div>
      {tip && (
        <Tooltip at={x((tip.from + tip.until) / 2)} width={width}>
          <strong>{formatInteger(tip.count)}</strong> {what} · {formatSpan(tip)}
        </Tooltip>
      )}
    </figure>
  );
}
