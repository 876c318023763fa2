import type { ComponentChildren } from "preact";
import { createPortal } from "preact/compat";

const ID = "action-bar";

/** Where the action bar of a view is: in the same stack as the exports, so that none covers the other. */
export function ActionBarSlot() {
  return <div id={ID} />;
}

interface Props {
  label?: string;
  children: ComponentChildren;
}

/** The actions of a view, and what the last one did, at the bottom of the window. */
export function ActionBar({ label = "Selected sessions", children }: Props) {
  const slot = document.getElementById(ID);
  return (
    slot &&
    createPortal(
      <div class="bulk" role="toolbar" aria-label={label}>
        {children}
      </div>,
      slot,
    )
  );
}
