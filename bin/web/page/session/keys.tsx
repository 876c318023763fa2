/** What keys do in a session. */
import { useEffect } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

const KEYS: readonly [keys: string, does: string][] = [
  ["j k", "the next entry, the one before"],
  ["g G", "the beginning, the end"],
  ["n N", "the next hit, the one before"],
  ["o", "fold or unfold the entry"],
  ["t", "the tree"],
  ["/", "back to the search"],
  ["?", "this"],
];

/** Calls what stands for a key, unless somebody types a text. */
export function useKeys(acts: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isTyping = target.closest("input, textarea, select, dialog, [contenteditable]");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(acts, event.key))
        return;
      event.preventDefault();
      acts[event.key]?.();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
