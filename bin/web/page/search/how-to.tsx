import { Dialog, DialogButtons } from "../shell/dialog.tsx";

const KEYS: readonly [string, string][] = [
  ["/", "search"],
  ["↓ ↑ or j k", "from one session to the next"],
  ["Enter", "open it"],
  ["Esc", "close completions, or clear the search"],
  ["Tab", "take a completion"],
  ["Shift+Enter", "search the files themselves for what is typed"],
];

const QUERIES: readonly [string, string][] = [
  ["tax rounding", "entries that hold both, or sessions whose entries do"],
  ['"exact words"', "these, in this order"],
  ["-blog", "without that word"],
  ["file:tax.ts", "that touched a file"],
  ["is:error role:user since:7d", "by what it is, by whom, and when"],
  ["re:cannot .* null", "a regular expression, in the files themselves"],
];

/** What can be typed. */
export function HowTo({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="How to search" class="how-to" onClose={onClose}>
      <Explained rows={QUERIES} />
      <h3>Keys</h3>
      <Explained rows={KEYS} />
      <DialogButtons cancel="Close" onCancel={onClose} />
    </Dialog>
  );
}

function Explained({ rows }: { rows: readonly [string, string][] }) {
  return (
    <dl>
      {rows.map(([what, meaning]) => (
        <div key={what}>
          <dt>
            <code>{what}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
