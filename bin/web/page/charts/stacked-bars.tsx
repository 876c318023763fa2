import { scaleLinear } from "d3-scale";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ChartCursor, ChartSlider, toSliderSteps } from "./chart-slider.tsx";
import "./series.css";
import "./stacked-bars.css";
import type { Series, SeriesColor } from "./series.ts";
import { type TimeSlot, toSlotTicks } from "./slot-ticks.ts";
import { Tooltip } from "./tooltip.tsx";
import { useSize } from "./use-width.ts";

interface Props {
  slots: readonly TimeSlot[];
  series: readonly Series[];
  /** The title of the chart: "Cost by day". */
  label: string;
  /** A formatter for values up to the largest. */
  createFormatter: (largest: number) => (value: number) => string;
  onChoose?: ((slot: TimeSlot) => void) | undefined;
  /** What choosing a bar does: "Click to see its sessions". */
  hint?: string;
  /** More controls after the legend. */
  children?: ComponentChildren;
}

// All in pixels.
/** Of the bars, which are higher in a higher box. */
const MIN_HEIGHT = 240;
/** Space below, to the left of and above the bars. */
const AXIS = 24;
const LEFT = 64;
const TOP = 8;
const MAX_BAR = 56;
/** Maximum number of series in the tooltip. */
const MAX_IN_TOOLTIP = 12;

/**
 * Stacked bars over time. A cursor moves from bar to bar by pointer or arrow keys and displays the values of its bar. Series
 * can be hidden.
 */
export function StackedBars({ slots, series, label, createFormatter, onChoose, hint, children }: Props) {
  const [ref, { width, height }] = useSize<HTMLDivElement>();
  const base = Math.max(MIN_HEIGHT, height - AXIS);
  const [{ at: cursor, isShown }, setCursor] = useState<ChartCursor>({ isShown: false });
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = series.filter(({ name }) => !hidden.has(name));
  const sums = slots.map((_, slot) => shown.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0));
  const max = sums.reduce((a, b) => Math.max(a, b), 0);
  const writeTick = createFormatter(max);
  const writeTotal = createFormatter(series.reduce((largest, { total }) => Math.max(largest, total), 0));
  const y = scaleLinear()
    .domain([0, max || 1])
    .nice(4)
    .range([base, TOP]);
  const x = scaleLinear()
    .domain([0, Math.max(1, slots.length)])
    .range([LEFT, Math.max(LEFT + 1, width)]);
  const band = x(1) - x(0);
  const gap = Math.max(Math.min(6, band * 0.2), band - MAX_BAR);
  const at = cursor === undefined ? slots.length - 1 : Math.min(cursor, slots.length - 1);
  const slotAt = (clientX: number) => {
    const inside = clientX - (ref.current?.getBoundingClientRect().left ?? 0);
    return Math.min(slots.length - 1, Math.max(0, Math.floor(x.invert(inside))));
  };
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const last = slots.length - 1;
  const steps = toSliderSteps(Math.max(1, Math.round(slots.length / 10)));
  const slot = slots[at];
  const write = createFormatter(sums[at] ?? 0);
  const sum = write(sums[at] ?? 0);
  const parts = shown
    .map(({ name, values, color }) => ({ name, color, value: values[at] ?? 0 }))
    .filter(({ value }) => value > 0);
  const named = parts.slice(0, parts.length > MAX_IN_TOOLTIP ? MAX_IN_TOOLTIP - 1 : MAX_IN_TOOLTIP);
  const unnamed = parts.slice(named.length);
  return (
    <div class="stacked">
      <div class="stacked-plot" ref={ref} style={{ minHeight: `${MIN_HEIGHT + AXIS}px` }}>
        {width > 0 && (
          <svg width={width} height={base + AXIS} aria-hidden="true">
            {y.ticks(4).map((tick) => (
              <g key={tick}>
                <line class="stacked-grid" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text class="axis" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
                  {writeTick(tick)}
                </text>
              </g>
            ))}
            {isShown && <rect class="stacked-cursor" x={x(at)} y={TOP} width={band} height={base - TOP} />}
            {slots.map(({ label: name }, n) => {
              let sumBelow = 0;
              return (sums[n] ?? 0) <= 0 ? null : (
                <g key={name}>
                  {shown.map(({ name: of, values, color }) => {
                    const value = values[n] ?? 0;
                    if (value <= 0) return null;
                    const [from, to] = [y(sumBelow), y(sumBelow + value)];
                    sumBelow += value;
                    return (
                      <rect
                        key={of}
                        x={x(n) + gap / 2}
                        y={to}
                        width={Math.max(1, band - gap)}
                        // Tall segments leave a line of background between them.
                        height={Math.max(0.5, from - to - (from - to > 3 ? 1 : 0))}
                        style={{ fill: `var(--series-${color})` }}
                      />
                    );
                  })}
                </g>
              );
            })}
            <line class="stacked-base" x1={LEFT} x2={width} y1={base} y2={base} />
            {toSlotTicks(slots, width - LEFT).map(({ slot: n, text }) => (
              <text key={n} class="axis" x={x(n + 0.5)} y={base + 17} text-anchor="middle">
                {text}
              </text>
            ))}
          </svg>
        )}
        {slot && (
          <ChartSlider
            class="stacked-hand"
            aria-label={label}
            aria-valuetext={[
              `${slot.label}: ${sum}`,
              ...parts.map(({ name, value }) => `${name} ${write(value)}`),
            ].join("; ")}
            min={0}
            max={last}
            placeAt={({ clientX }) => slotAt(clientX)}
            onCursor={setCursor}
            onChoose={
              onChoose && ((chosen) => (sums[chosen] ?? 0) > 0 && onChoose(slots[chosen] as TimeSlot))
            }
            {...{ at, steps }}
          />
        )}
        {isShown && slot && (
          <Tooltip at={x(at + 0.5)} width={width}>
            <table class="tip-table">
              <thead>
                <tr>
                  <th colSpan={2}>{slot.label}</th>
                  <th class="number">{sum}</th>
                </tr>
              </thead>
              <tbody>
                {unnamed.length > 0 && (
                  <tr>
                    <td />
                    <td class="tip-name">{unnamed.length} more</td>
                    <td class="number">{write(unnamed.reduce((all, { value }) => all + value, 0))}</td>
                  </tr>
                )}
                {named.toReversed().map(({ name, color, value }) => (
                  <tr key={name}>
                    <td>
                      <Swatch color={color} />
                    </td>
                    <td class="tip-name">{name}</td>
                    <td class="number">{write(value)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {hint && parts.length > 0 && <p class="tip-hint">{hint}</p>}
          </Tooltip>
        )}
      </div>
      <ul class="legend" aria-label="Series">
        {series.map(({ name, color, total }) => (
          <li key={name}>
            <button
              type="button"
              class="legend-item"
              aria-pressed={!hidden.has(name)}
              onClick={() => toggle(name)}
            >
              <Swatch color={color} />
              <bdi class="legend-name">{name}</bdi> <span class="quiet">{writeTotal(total)}</span>
            </button>
          </li>
        ))}
        {children && <li>{children}</li>}
      </ul>
    </div>
  );
}

function Swatch({ color }: { color: SeriesColor }) {
  return <span class="swatch" aria-hidden="true" style={{ background: `var(--series-${color})` }} />;
}
