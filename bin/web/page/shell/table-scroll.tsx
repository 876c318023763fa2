import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A box that scrolls a table too large for it. A shadow marks each side that has more columns. */
export function TableScroll({ label, class: look = "", children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLElement>(null);
  const mark = () => {
    if (!frame.current || !box.current) return;
    const { scrollLeft, scrollWidth, clientWidth } = box.current;
    frame.current.toggleAttribute("data-more-left", scrollLeft > 1);
    frame.current.toggleAttribute("data-more-right", scrollLeft + clientWidth < scrollWidth - 1);
  };
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(mark);
    observer.observe(box.current);
    for (const child of box.current.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="table-frame" ref={frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
      <section class={`table-scroll ${look}`} ref={box} tabIndex={0} aria-label={label} onScroll={mark}>
        {children}
      </section>
    </div>
  );
}
