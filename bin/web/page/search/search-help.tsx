import { Dialog, DialogButtons } from "../shell/dialog.tsx";

const KEYS: readonly [string, string][] = [
  ["/", "focus the search"],
  ["↓ ↑ or j k", "next or previous session"],
  ["Enter", "open the session"],
  ["x", "select the session, to change several at once"],
  ["Esc", "close the suggestions, or clear the search"],
  ["Tab", "accept a suggestion"],
  ["Shift+Enter", "search the files themselves for this text"],
];

const QUERIES: readonly [string, string][] = [
  ["tax rounding", "both words, in one entry or across entries"],
  ['"exact words"', "an exact phrase"],
  ["-blog", "exclude a word"],
  ["file:tax.ts", "entries that touched a file"],
  ["is:error role:user since:7d", "filter by kind, role and time"],
  ["re:cannot .* null", "a regular expression, in the files themselves"],
];

/** Help on the query language and keys. */
export function SearchHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="How to search" class="how-to" onClose={onClose}>
      <Definitions rows={QUERIES} />
      <h3>Keys</h3>
      <Definitions rows={KEYS} />
      <DialogButtons cancel="Close" onCancel={onClose} />
    </Dialog>
  );
}

function Definitions({ rows }: { rows: readonly [string, string][] }) {
  return (
    <dl>
      {rows.map(([term, meaning]) => (
        <div key={term}>
          <dt>
            <code>{term}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
