/** Steps that are larger than any range move to its end. */
export const END_STEPS = { Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };

/** Steps by one, or by `page` with Page Up and Page Down. */
export function toSliderSteps(page: number): Readonly<Record<string, number>> {
  return {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -page,
    PageUp: page,
    ...END_STEPS,
  };
}

/** The position in a chart whose values are displayed. It is kept while the cursor is hidden. */
export interface ChartCursor {
  /** Undefined until the cursor has moved. */
  at?: number;
  isShown: boolean;
}

interface Props {
  class: string;
  style?: Readonly<Record<string, string>>;
  /** The title of the chart. */
  "aria-label": string;
  /** The values at the cursor. */
  "aria-valuetext": string;
  at: number;
  min: number;
  max: number;
  /** By key. */
  steps: Readonly<Record<string, number>>;
  placeAt: (event: MouseEvent & { currentTarget: HTMLElement }) => number | undefined;
  onCursor: (change: (before: ChartCursor) => ChartCursor) => void;
  onChoose?: ((at: number) => void) | undefined;
}

/** A slider over a chart that moves its cursor, by pointer or keys. Enter or a click chooses. */
export function ChartSlider({ at, min, max, steps, placeAt, onCursor, onChoose, ...props }: Props) {
  const show = (isShown: boolean) => onCursor((before) => ({ ...before, isShown }));
  const moveTo = (to: number) => onCursor(() => ({ at: to, isShown: true }));
  return (
    <div
      {...props}
      role="slider"
      tabIndex={0}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={at}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (event.key === "Escape") show(false);
        else if (event.key === "Enter") onChoose?.(at);
        else if (step !== undefined) {
          event.preventDefault();
          moveTo(Math.min(max, Math.max(min, at + step)));
        }
      }}
      onFocus={(event) => show(event.currentTarget.matches(":focus-visible"))}
      onBlur={() => show(false)}
      onPointerMove={(event) => {
        const to = placeAt(event);
        if (to === undefined) show(false);
        else moveTo(to);
      }}
      onPointerLeave={() => show(false)}
      onClick={(event) => {
        const clicked = placeAt(event);
        if (clicked !== undefined) onChoose?.(clicked);
      }}
    />
  );
}
