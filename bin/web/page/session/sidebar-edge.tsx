/** The edge of the sidebar: dragging it or the arrow keys change the width, a double click resets it. */
import { useLayoutEffect, useState } from "preact/hooks";
import { MAX_WIDTH, MIN_WIDTH, setSidebarWidth, sidebarWidth } from "./sidebar-width.ts";

/** Pixels per press of an arrow key. */
const STEP = 16;

/** @param getSidebar the element that changes its width */
export function SidebarEdge({ getSidebar }: { getSidebar: () => HTMLElement | null }) {
  const width = sidebarWidth.value;
  const measure = () => Math.round(getSidebar()?.getBoundingClientRect().width ?? 0);
  const [measured, setMeasured] = useState(0);
  // The default width changes with the window.
  useLayoutEffect(() => {
    const update = () => setMeasured(measure());
    update();
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, [width]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = measure();
    if (event.key === "ArrowLeft") setSidebarWidth(now - STEP);
    else if (event.key === "ArrowRight") setSidebarWidth(now + STEP);
    else if (event.key === "Home") setSidebarWidth(MIN_WIDTH);
    else if (event.key === "End") setSidebarWidth(MAX_WIDTH);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is no <hr>
    <div
      class="sidebar-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the sidebar"
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={measured}
      aria-valuetext={`${measured} pixels`}
      title="Drag to change the width, double-click to reset it"
      onKeyDown={onKeyDown}
      onDblClick={() => setSidebarWidth(undefined)}
      onPointerDown={(event) => {
        if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        if (event.movementX === 0) return; // a click moves nothing
        setSidebarWidth(event.clientX - (getSidebar()?.getBoundingClientRect().left ?? 0));
      }}
    />
  );
}
