import { scaleLinear } from "d3-scale";
import { useState } from "preact/hooks";
import { type ChartCursor, ChartSlider, toSliderSteps } from "./chart-slider.tsx";
import "./cumulative-chart.css";
import { Tooltip } from "./tooltip.tsx";
import { useWidth } from "./use-width.ts";

interface Props {
  /** The sums at the ends of the steps so far. The last one is that of now. */
  sums: readonly number[];
  /** The number of steps of the whole period. */
  stepCount: number;
  /** The elapsed part of the period, in steps. */
  elapsed: number;
  /** The expected sum at the end of the period. */
  projected: number;
  /** A limit that is drawn as a line. */
  limit?: { value: number; label: string } | undefined;
  label: string;
  /** A formatter for values up to the largest. */
  createFormatter: (largest: number) => (value: number) => string;
  /** The axis label of a step, or "" for none. */
  toTick: (step: number) => string;
  /** A step and its values as text, for the tooltip and screen readers. */
  describe: (step: number) => { name: string; value: string };
}

// All in pixels.
const HEIGHT = 220;
const AXIS = 24;
const LEFT = 64;
const TOP = 20;
const RIGHT = 8;
const MAX_TICK_WIDTH = 40;

/** A sum over a period so far as an area, its projection as a dashed line, and a limit. */
export function CumulativeChart(props: Props) {
  const { sums, stepCount, elapsed, projected, limit, label, createFormatter, toTick, describe } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const [{ at: cursor, isShown }, setCursor] = useState<ChartCursor>({ isShown: false });
  const sum = sums.at(-1) ?? 0;
  const max = Math.max(sum, projected, limit?.value ?? 0);
  const write = createFormatter(max);
  const y = scaleLinear()
    .domain([0, max || 1])
    .nice(4)
    .range([HEIGHT, TOP]);
  const end = Math.max(LEFT + 1, width - RIGHT);
  const x = scaleLinear().domain([0, stepCount]).range([LEFT, end]);
  const points = [[0, 0], ...sums.map((each, n) => [n === sums.length - 1 ? elapsed : n + 1, each])].map(
    ([step = 0, each = 0]) => `${x(step)},${y(each)}`,
  );
  const steps = Array.from({ length: stepCount }, (_, step) => step).filter(
    (step) => x(step) + MAX_TICK_WIDTH <= width,
  );
  const last = stepCount - 1;
  const at = Math.min(last, cursor ?? sums.length - 1);
  const { name, value } = describe(at);
  const stepAt = ({ clientX }: MouseEvent) => {
    const inside = clientX - (ref.current?.getBoundingClientRect().left ?? 0);
    return Math.min(last, Math.max(0, Math.floor(x.invert(inside))));
  };
  const limitY = limit && y(limit.value);
  return (
    <div class="cumulative" ref={ref} style={{ height: `${HEIGHT + AXIS}px` }}>
      {width > 0 && (
        <svg width={width} height={HEIGHT + AXIS} aria-hidden="true">
          {y.ticks(4).map((tick) => (
            <g key={tick}>
              <line class="stacked-grid" x1={LEFT} x2={end} y1={y(tick)} y2={y(tick)} />
              <text class="axis" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
                {write(tick)}
              </text>
            </g>
          ))}
          {isShown && (
            <rect class="stacked-cursor" x={x(at)} y={TOP} width={x(1) - x(0)} height={HEIGHT - TOP} />
          )}
          <polygon class="cumulative-area" points={[...points, `${x(elapsed)},${HEIGHT}`].join(" ")} />
          <polyline class="cumulative-line" points={points.join(" ")} />
          <line
            class="cumulative-projection"
            x1={x(elapsed)}
            y1={y(sum)}
            x2={x(stepCount)}
            y2={y(projected)}
          />
          {limit && limitY !== undefined && (
            <>
              <line class="cumulative-limit" x1={LEFT} x2={end} y1={limitY} y2={limitY} />
              <text class="axis cumulative-limit-name" x={LEFT + 4} y={limitY - 6}>
                {limit.label}
              </text>
            </>
          )}
          <line class="stacked-base" x1={LEFT} x2={end} y1={HEIGHT} y2={HEIGHT} />
          {steps.map((step) => (
            <text key={step} class="axis" x={x(step)} y={HEIGHT + 17}>
              {toTick(step)}
            </text>
          ))}
        </svg>
      )}
      <ChartSlider
        class="stacked-hand"
        aria-label={label}
        aria-valuetext={`${name}: ${value}`}
        min={0}
        max={last}
        placeAt={stepAt}
        onCursor={setCursor}
        steps={toSliderSteps(7)}
        at={at}
      />
      {isShown && (
        <Tooltip at={x(at + 0.5)} width={width}>
          <strong>{name}</strong>
          <p>{value}</p>
        </Tooltip>
      )}
    </div>
  );
}
