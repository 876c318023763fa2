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
  label: string;
  /** The values at the cursor, as text. */
  text: string;
  at: number;
  min: number;
  max: number;
  /** Target positions by key, clamped to `min` and `max`. */
  keys: Readonly<Record<string, number>>;
  placeAt: (event: MouseEvent & { currentTarget: HTMLElement }) => number | undefined;
  onCursor: (change: (before: ChartCursor) => ChartCursor) => void;
  onChoose?: ((at: number) => void) | undefined;
}

/** A slider over a chart that moves its cursor, by pointer or keys. Enter or a click chooses. */
export function ChartSlider({
  label,
  text,
  at,
  min,
  max,
  keys,
  placeAt,
  onCursor,
  onChoose,
  ...props
}: Props) {
  const show = (isShown: boolean) => onCursor((before) => ({ ...before, isShown }));
  const moveTo = (to: number) => onCursor(() => ({ at: to, isShown: true }));
  return (
    <div
      {...props}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={at}
      aria-valuetext={text}
      onKeyDown={(event) => {
        const to = keys[event.key];
        if (event.key === "Escape") show(false);
        else if (event.key === "Enter") onChoose?.(at);
        else if (to !== undefined) {
          event.preventDefault();
          moveTo(Math.min(max, Math.max(min, to)));
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
