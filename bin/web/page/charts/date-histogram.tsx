import { scaleLinear, scaleUtc } from "d3-scale";
import { useMemo, useRef, useState } from "preact/hooks";
import { type DayRange, type Edge, moved } from "./brush.ts";
import "./date-histogram.css";
import {
  dateOf,
  numberOf,
  type Span,
  sayDay,
  saySpan,
  sayTick,
  spansBetween,
  stepFor,
  toDate,
} from "./days.ts";
import { Tip } from "./tip.tsx";
import { useWidth } from "./use-width.ts";

export interface DateHistogramProps {
  days: readonly { day: string; count: number }[];
  /** What is counted: "hits". */
  what: string;
  /** Days; `until` is the first that is no longer of it. */
  range?: { since?: string; until?: string };
  onRange: (range: DayRange | undefined) => void;
}

const HEIGHT = 56;
/** A bar and the gap beside it, in pixels, at least. */
const LEAST_BAR = 5;
/** Fewer days would be bars as wide as the page. */
const LEAST_DAYS = 14;
const TICK_ROOM = 72;

const counts = new Intl.NumberFormat("en-GB");

/**
 * Counts by day as bars over time, of which a range can be brushed: by mouse, touch, or keyboard (arrows move an edge,
 * Shift+arrows the other, Escape clears). Days are summed to weeks, months and more where there is no room for each.
 */
export function DateHistogram({ days, what, range, onRange }: DateHistogramProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const [drawn, setDrawn] = useState<Span>(); // while the pointer is down
  const [under, setUnder] = useState<number>();
  /** The bar that a new range is drawn from. */
  const began = useRef<number>(undefined);
  /** Of an edge that is dragged: the day the other is at, and the range before. */
  const held = useRef<{ other: number; before: Span }>(undefined);
  const bars = useMemo(() => barsOf(days, range, Math.floor(width / LEAST_BAR)), [days, range, width]);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last || width === 0)
    return <figure class="histogram" ref={ref} aria-label={`${what} by day`} />;

  const whole = { from: first.from, until: last.until };
  const given = drawn ?? spanOf(range, whole);
  const chosen = given ?? whole;
  const x = scaleLinear().domain([whole.from, whole.until]).range([0, width]);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...bars.map(({ count }) => count))])
    .range([0, HEIGHT]);
  const barAt = (clientX: number) => {
    const day = x.invert(clientX - (ref.current?.getBoundingClientRect().left ?? 0));
    const at = bars.findIndex(({ until }) => day < until);
    return at < 0 ? bars.length - 1 : at;
  };
  const between = (a: number, b: number): Span => ({
    from: (bars[Math.min(a, b)] as Bar).from,
    until: (bars[Math.max(a, b)] as Bar).until,
  });
  const tell = ({ from, until }: Span) => {
    const isAll = from <= whole.from && until >= whole.until;
    onRange(isAll ? undefined : { since: dateOf(from), until: dateOf(until) });
  };
  /** Where a bar begins or ends that is nearest. */
  const edgeAt = (clientX: number) => {
    const { from, until } = bars[barAt(clientX)] as Bar;
    const day = x.invert(clientX - (ref.current?.getBoundingClientRect().left ?? 0));
    return day - from < until - day ? from : until;
  };
  const end = () => {
    began.current = undefined;
    held.current = undefined;
    setDrawn(undefined);
  };
  const press = (edge: Edge) => (event: KeyboardEvent) => {
    if (event.key === "Escape" && range) {
      event.preventDefault();
      event.stopPropagation();
      return onRange(undefined);
    }
    const to = moved(chosen, bars, edge, event.key, event.shiftKey);
    if (!to) return;
    event.preventDefault();
    tell(to);
  };
  const tip = under === undefined ? undefined : bars[under];
  return (
    <figure class="histogram" ref={ref} aria-label={`${what} by day`}>
      <svg
        class="histogram-plot"
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summary(bars, what)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          began.current = barAt(event.clientX);
          setDrawn(between(began.current, began.current));
        }}
        onPointerMove={(event) => {
          const at = barAt(event.clientX);
          setUnder(at);
          if (began.current !== undefined) setDrawn(between(began.current, at));
        }}
        onPointerUp={(event) => {
          if (began.current === undefined) return;
          tell(between(began.current, barAt(event.clientX)));
          end();
        }}
        onPointerCancel={end}
        onPointerLeave={() => setUnder(undefined)}
      >
        <rect class="histogram-ground" width={width} height={HEIGHT} />
        {given && (
          <rect
            class="histogram-range"
            x={x(given.from)}
            width={x(given.until) - x(given.from)}
            height={HEIGHT}
          />
        )}
        {bars.map(({ from, until, count }, n) => {
          const height = count > 0 ? Math.max(2, y(count)) : 0;
          const isIn = from < chosen.until && until > chosen.from;
          return (
            <rect
              key={from}
              class="histogram-bar"
              data-in={isIn || undefined}
              data-under={n === under || undefined}
              x={x(from) + 0.5}
              y={HEIGHT - height}
              width={Math.max(1, x(until) - x(from) - 1)}
              height={height}
            />
          );
        })}
      </svg>
      {(["since", "until"] as const).map((edge) => {
        const day = edge === "since" ? chosen.from : chosen.until;
        const shown = edge === "since" ? day : day - 1;
        return (
          <div
            key={edge}
            class="histogram-edge"
            data-given={given !== undefined || undefined}
            style={{ left: `${x(Math.min(Math.max(day, whole.from), whole.until))}px` }}
            role="slider"
            tabIndex={0}
            aria-label={edge === "since" ? "First day" : "Last day"}
            aria-valuemin={whole.from}
            aria-valuemax={whole.until}
            aria-valuenow={day}
            aria-valuetext={sayDay(shown)}
            aria-keyshortcuts="Escape"
            onKeyDown={press(edge)}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              event.preventDefault();
              event.currentTarget.focus();
              held.current = { other: edge === "since" ? chosen.until : chosen.from, before: chosen };
            }}
            onPointerMove={(event) => {
              const other = held.current?.other;
              const day = edgeAt(event.clientX);
              if (other === undefined || day === other) return;
              setDrawn({ from: Math.min(day, other), until: Math.max(day, other) });
            }}
            onPointerUp={() => {
              const before = held.current?.before;
              const isMoved = drawn && (drawn.from !== before?.from || drawn.until !== before.until);
              if (isMoved) tell(drawn);
              end();
            }}
            onPointerCancel={end}
          />
        );
      })}
      <div class="histogram-ticks" aria-hidden="true">
        {ticks(whole, width).map((tick) => (
          <span key={tick.at} style={{ left: `${tick.at}px` }}>
            {tick.label}
          </span>
        ))}
      </div>
      {tip && (
        <Tip at={x((tip.from + tip.until) / 2)} of={width}>
          <strong>{counts.format(tip.count)}</strong> {what} · {saySpan(tip)}
        </Tip>
      )}
    </figure>
  );
}

type Bar = Span & { count: number };

/** The bars from the first day that is counted, or chosen, to the last: those between that have none too. */
function barsOf(days: DateHistogramProps["days"], range: DateHistogramProps["range"], most: number): Bar[] {
  const counted = days.flatMap(({ day, count }) => {
    const number = numberOf(day);
    return number === undefined ? [] : [{ day: number, count }];
  });
  if (counted.length === 0 || most < 1) return [];
  const since = range?.since === undefined ? undefined : numberOf(range.since);
  const until = range?.until === undefined ? undefined : numberOf(range.until);
  let [first, last] = [
    since ?? Number.POSITIVE_INFINITY,
    until === undefined ? Number.NEGATIVE_INFINITY : until - 1,
  ];
  for (const { day } of counted) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  first = Math.min(first, last - LEAST_DAYS + 1);
  const step = stepFor(last - first + 1, most);
  const bars: Bar[] = spansBetween(first, last, step).map((span) => ({ ...span, count: 0 }));
  for (const { day, count } of counted) (bars[barOf(bars, day)] as Bar).count += count;
  return bars;
}

/** Which bar a day is in: the first or last where it is in none. */
function barOf(bars: readonly Bar[], day: number): number {
  let [low, high] = [0, bars.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Bar).until <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}

function spanOf(range: DateHistogramProps["range"], whole: Span): Span | undefined {
  if (range?.since === undefined && range?.until === undefined) return undefined;
  const from = numberOf(range.since ?? "") ?? whole.from;
  const until = numberOf(range.until ?? "") ?? whole.until;
  return { from: Math.max(from, whole.from), until: Math.min(until, whole.until) };
}

function ticks(whole: Span, width: number): { at: number; label: string }[] {
  const time = scaleUtc()
    .domain([toDate(whole.from), toDate(whole.until)])
    .range([0, width]);
  const most = Math.max(1, Math.floor(width / TICK_ROOM));
  return time
    .ticks(most)
    .filter((date) => date.getUTCHours() === 0)
    .map((date) => ({ at: Math.round(time(date)), label: sayTick(date) }))
    .filter(({ at }) => at <= width - TICK_ROOM / 2);
}

function summary(bars: readonly Bar[], what: string): string {
  const sum = bars.reduce((all, { count }) => all + count, 0);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  return `${counts.format(sum)} ${what}; most, ${counts.format(most.count)}, in ${saySpan(most)}`;
}
