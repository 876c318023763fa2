import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./menu.css";

interface Props {
  /** The content of the button. */
  summary: ComponentChildren;
  /** The accessible name of the button, if its content isn't one. */
  label?: string;
  class?: string;
  listClass?: string;
  /** The menu items; `close` closes the menu. */
  children: (close: () => void) => ComponentChildren;
}

/** A button with a list that opens below it. Arrow keys move in it; Escape or a click elsewhere closes it. */
export function Menu({ summary, label, listClass = "", children, ...props }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  const closeToSummary = () => {
    if (menu.current?.open) menu.current.querySelector("summary")?.focus();
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "Escape" && menu.current?.open) {
      closeToSummary();
      event.preventDefault();
      return;
    }
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0 || !menu.current) return;
    event.preventDefault();
    menu.current.open = true;
    const all = menu.current.querySelectorAll<HTMLElement>("ul button, ul a");
    const entries = [...all].filter((entry) => entry.checkVisibility()); // some are of narrow windows only
    const at = entries.indexOf(document.activeElement as HTMLElement);
    entries[at < 0 && step < 0 ? entries.length - 1 : (at + step + entries.length) % entries.length]?.focus();
  };
  useEffect(() => {
    const onPointerDown = ({ target }: Event) => {
      if (!menu.current?.contains(target as Node)) close();
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, []);
  return (
    <details class="menu" ref={menu} onKeyDown={onKeyDown}>
      <summary class={props.class} aria-label={label}>
        {summary}
      </summary>
      <ul class={`menu-list card ${listClass}`}>{children(closeToSummary)}</ul>
    </details>
  );
}
