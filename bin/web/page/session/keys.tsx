/** What keys do in a session. */
import { Dialog, DialogButtons } from "../shell/dialog.tsx";

const KEYS: readonly [keys: string, does: string][] = [
  ["j k", "the next entry, the one before"],
  ["g G", "the beginning, the end"],
  ["n N", "the next hit, the one before"],
  ["o", "fold or unfold the entry"],
  ["t", "the tree"],
  ["/", "back to the search"],
  ["?", "this"],
];

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
      <DialogButtons cancel="Close" onCancel={onClose} />
    </Dialog>
  );
}
