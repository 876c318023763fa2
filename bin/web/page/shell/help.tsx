/** The keys of every view, those of the current one first, and how to write queries. */
import { useState } from "preact/hooks";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { useKeys } from "./use-keys.ts";

interface KeyGroup {
  name: string;
  /** Whether the view at a path has these keys. */
  isAt: (path: string) => boolean;
  keys: readonly (readonly [keys: string, action: string])[];
}

const GROUPS: readonly KeyGroup[] = [
  {
    name: "Sessions",
    isAt: (path) => path === "/",
    keys: [
      ["/", "focus the search (from everywhere: Ctrl+K)"],
      ["j k", "next or previous session (also ↓ ↑)"],
      ["Enter", "open the session"],
      ["x", "select the session, with Shift a range"],
      ["Tab", "accept a suggestion"],
      ["Esc", "close the suggestions, or clear the search"],
      ["Shift+Enter", "search the files themselves for this text"],
    ],
  },
  {
    name: "Session",
    isAt: (path) => path.startsWith("/session/"),
    keys: [
      ["j k", "next or previous entry"],
      ["g G", "first or last entry"],
      ["n N", "next or previous match"],
      ["[ ]", "previous or next prompt"],
      ["o", "expand or collapse the entry"],
      ["e", "expand or collapse all"],
      ["t", "show the tree, in a narrow window"],
      ["/", "find in this session (also Ctrl+F)"],
      ["u", "return to the list, where you left it"],
      ["J K", "next or previous session of the list"],
    ],
  },
  {
    name: "Trash",
    isAt: (path) => path === "/trash",
    keys: [
      ["j k", "next or previous session (also ↓ ↑)"],
      ["x", "select the session"],
    ],
  },
  { name: "Every view", isAt: () => false, keys: [["?", "this help"]] },
];

const QUERIES: readonly (readonly [query: string, meaning: string])[] = [
  ["tax rounding", "both words, in one entry or across entries"],
  ['"exact words"', "an exact phrase"],
  ["-blog", "exclude a word"],
  ["file:tax.ts", "entries that touched a file"],
  ["project:shop cost:>5", "sessions by project and cost"],
  ["is:error role:user since:7d", "filter by kind, role and time"],
  ["re:cannot .* null", "a regular expression, in the files themselves"],
];

/** A button that shows the help, which `?` does too. */
export function Help({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  useKeys({ "?": () => setOpen(true) });
  const groups = GROUPS.toSorted((a, b) => Number(b.isAt(path)) - Number(a.isAt(path)));
  return (
    <>
      <button
        type="button"
        class="button button-plain help-button"
        aria-label="Help"
        title="Keys and queries (?)"
        onClick={() => setOpen(true)}
      >
        ?
      </button>
      {isOpen && (
        <Dialog title="Keys and queries" class="help" onClose={() => setOpen(false)}>
          <div class="help-columns">
            {groups.map(({ name, keys }) => (
              <section key={name}>
                <h3>{name}</h3>
                <dl class="keys">
                  {keys.map(([each, action]) => (
                    <div key={each}>
                      <dt>
                        {each.split(" ").map((key) => (
                          <kbd key={key}>{key}</kbd>
                        ))}
                      </dt>
                      <dd>{action}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
            <section>
              <h3>Queries</h3>
              <dl class="keys queries">
                {QUERIES.map(([query, meaning]) => (
                  <div key={query}>
                    <dt>
                      <code>{query}</code>
                    </dt>
                    <dd>{meaning}</dd>
                  </div>
                ))}
              </dl>
            </section>
          </div>
          <DialogButtons cancel="Close" onCancel={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}
