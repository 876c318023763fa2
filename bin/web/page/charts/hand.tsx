/** The place in a chart whose numbers are shown. It keeps its place while hidden. */
export interface Cursor {
  /** Undefined before it was moved. */
  at?: number;
  isShown: boolean;
}

interface Props {
  class: string;
  style?: Readonly<Record<string, string>>;
  /** What the chart shows. */
  label: string;
  /** What is at the cursor, in words. */
  text: string;
  at: number;
  min: number;
  max: number;
  /** Where keys lead; positions beyond `min` and `max` are clamped. */
  keys: Readonly<Record<string, number>>;
  placeAt: (event: MouseEvent & { currentTarget: HTMLElement }) => number | undefined;
  onCursor: (change: (before: Cursor) => Cursor) => void;
  onChoose?: ((at: number) => void) | undefined;
}

/** A slider over a chart that moves its cursor, by pointer or keys. Enter or a click chooses. */
export function Hand({ label, text, at, min, max, keys, placeAt, onCursor, onChoose, ...props }: Props) {
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
        const chosen = placeAt(event);
        if (chosen !== undefined) onChoose?.(chosen);
      }}
    />
  );
}
