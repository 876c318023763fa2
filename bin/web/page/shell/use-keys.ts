import { useEffect } from "preact/hooks";

/** Actions by key. One that returns false leaves the key to the browser. */
export type KeyActions = Readonly<Record<string, () => unknown>>;

/** Runs the action of a pressed key, unless a modifier is held, a text is being typed or a dialog is open. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest(
        "input:not([type=checkbox]), textarea, select, dialog, [contenteditable]",
      );
      if (isTyping || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (Object.hasOwn(actions, event.key) && actions[event.key]?.() !== false) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
