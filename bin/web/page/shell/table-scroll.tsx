import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { ScrollFrame } from "./scroll-frame.tsx";

interface Props {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A box that scrolls a table too large for it, and marks the sides with more columns. */
export function TableScroll({ label, class: look = "", children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <ScrollFrame class={`table-scroll ${look}`} {...{ box, label }}>
      {children}
    </ScrollFrame>
  );
}
