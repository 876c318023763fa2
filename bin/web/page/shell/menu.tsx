import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./menu.css";

interface Props {
  /** What is always shown. */
  summary: ComponentChildren;
  /** The accessible name of the summary, where its content isn't one. */
  label?: string;
  class?: string;
  listClass?: string;
  /** The entries, of which some close the menu. */
  children: (close: () => void) => ComponentChildren;
}

/** A list that opens below its summary. Escape or a click elsewhere closes it. */
export function Menu({ summary, label, listClass = "", children, ...props }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  const closeToSummary = () => {
    if (menu.current?.open) menu.current.querySelector("summary")?.focus();
    close();
  };
  useEffect(() => {
    const onPointerDown = ({ target }: Event) => {
      if (!menu.current?.contains(target as Node)) close();
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, []);
  return (
    <details class="menu" ref={menu} onKeyDown={({ key }) => key === "Escape" && closeToSummary()}>
      <summary class={props.class} aria-label={label}>
        {summary}
      </summary>
      <ul class={`menu-list card ${listClass}`}>{children(closeToSummary)}</ul>
    </details>
  );
}
