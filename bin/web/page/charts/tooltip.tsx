import type { ComponentChildren } from "preact";
import "./tooltip.css";

/** A tooltip beside a position in a chart, within the chart's edges. */
export function Tooltip({ at, width, children }: { at: number; width: number; children: ComponentChildren }) {
  const side = at > width / 2 ? { right: `${Math.max(0, width - at + 8)}px` } : { left: `${at + 8}px` };
  return (
    <div class="tip" aria-hidden="true" style={side}>
      {children}
    </div>
  );
}
