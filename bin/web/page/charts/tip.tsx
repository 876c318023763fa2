import type { ComponentChildren } from "preact";
import "./tip.css";

/** What lies under the pointer, told beside it, and never beyond the chart's edges. */
export function Tip({ at, of, children }: { at: number; of: number; children: ComponentChildren }) {
  const side = at > of / 2 ? { right: `${Math.max(0, of - at + 8)}px` } : { left: `${at + 8}px` };
  return (
    <div class="tip" aria-hidden="true" style={side}>
      {children}
    </div>
  );
}
