/** Help on the keys in a session. */
import { Dialog, DialogButtons } from "../shell/dialog.tsx";

const KEYS: readonly [keys: string, action: string][] = [
  ["j k", "next or previous entry"],
  ["g G", "first or last entry"],
  ["n N", "next or previous hit"],
  ["[ ]", "previous or next prompt"],
  ["o", "expand or collapse the entry"],
  ["e", "expand or collapse all"],
  ["t", "show the tree"],
  ["/", "find in this session"],
  ["u", "return to the search"],
  ["?", "this help"],
];

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <DialogButtons cancel="Close" onCancel={onClose} />
    </Dialog>
  );
}
