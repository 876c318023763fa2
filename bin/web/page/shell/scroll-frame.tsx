import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./scroll-frame.css";

interface Props {
  /** The class of the box that scrolls. */
  class: string;
  box: RefObject<HTMLDivElement | null>;
  /** The name of the box, if keyboard users scroll it: without controls of its own. */
  label?: string;
  children: ComponentChildren;
}

/** Scroll positions are rounded, also when the page is zoomed. */
const ROUNDING_PX = 3;

/** A frame around a box that scrolls sideways. A shadow marks each side on which more is hidden. */
export function ScrollFrame({ class: look, box, label, children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const mark = () => {
    const content = box.current?.firstElementChild;
    if (!frame.current || !box.current || !content) return;
    const [outer, inner] = [box.current.getBoundingClientRect(), content.getBoundingClientRect()];
    frame.current.toggleAttribute("data-more-left", inner.left < outer.left - ROUNDING_PX);
    frame.current.toggleAttribute("data-more-right", inner.right > outer.right + ROUNDING_PX);
  };
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(mark);
    observer.observe(box.current);
    for (const child of box.current.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="scroll-frame" ref={frame}>
      <div
        class={look}
        ref={box}
        onScroll={mark}
        {...(label !== undefined && { role: "region", tabIndex: 0, "aria-label": label })}
      >
        {children}
      </div>
    </div>
  );
}
