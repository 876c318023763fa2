/** The keys of every view, those of the current one first, and how to write queries. */
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { FIELD_MEANINGS } from "../../../format/field-meanings.ts";
import { COMMANDS, type CommandView, formatKey, useCommands } from "./commands.ts";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { hub } from "./source.ts";

/** A command is in one group: that of all views that have it. */
interface KeyGroup {
  name: string;
  views: readonly CommandView[];
}

const GROUPS: readonly KeyGroup[] = [
  { name: "Sessions", views: ["sessions"] },
  { name: "Session", views: ["session"] },
  { name: "Trash", views: ["trash"] },
  { name: "Sessions and trash", views: ["sessions", "trash"] },
  { name: "Sessions, in the list or open", views: ["sessions", "session"] },
  { name: "Every view", views: ["everywhere"] },
];

function viewAt(path: string): CommandView {
  if (path === "/trash") return "trash";
  if (path === "/") return "sessions";
  return path.startsWith("/session/") ? "session" : "everywhere";
}

const ON_HUBS: ReadonlySet<string> = new Set(["machine", "person"]);

function listFilters(isHub: boolean): Meanings {
  return FIELD_MEANINGS.filter(([field]) => isHub || !ON_HUBS.has(field)).map(([field, meaning]) => [
    `${field}:`,
    meaning,
  ]);
}

const QUERIES: Meanings = [
  ["tax rounding", "both words, in one entry or across entries"],
  ['"exact words"', "an exact phrase"],
  ["tax OR vat", "either word"],
  ["tax -blog", "entries with “tax” and without “blog”; other entries of the session may have it"],
  ["file:tax.ts", "entries that touched a file"],
  ["project:shop cost:>5", "sessions by project and cost"],
  ["is:error tool:bash since:7d", "filter by kind, tool and time"],
  ["re:cannot .* null", "a regular expression, in the files themselves"],
];

/** What Escape does in one view or another, in one line. */
const CLOSE = {
  name: "Close or clear what is open: a dialog, suggestions, a message, the selection",
  keys: ["Escape"],
};

/** The lines of a group: its commands with keys, a command and its opposite on one line. */
function linesOf(group: KeyGroup): { name: string; keys: readonly string[] }[] {
  const commands = COMMANDS.filter(
    ({ views, keys }) => views.join() === group.views.join() && keys.length > 0 && !keys.includes("Escape"),
  );
  const lines = commands.flatMap(({ name, keys, both }, n) => {
    if (commands[n - 1]?.both !== undefined) return [];
    return both === undefined
      ? { name: name.replace(/…$/, ""), keys }
      : { name: both, keys: [...keys, ...(commands[n + 1]?.keys ?? [])] };
  });
  return group.name === "Every view" ? [...lines, CLOSE] : lines;
}

/** A button that shows the help, which `?` does too. */
export function Help({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  useCommands("everywhere", () => ({ help: () => setOpen(true) }));
  const view = viewAt(path);
  const groups = GROUPS.toSorted((a, b) => Number(b.views.includes(view)) - Number(a.views.includes(view)));
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
            {groups.map((group, n) => (
              <Fragment key={group.name}>
                <section>
                  <h3>{group.name}</h3>
                  <dl class="keys">
                    {linesOf(group).map(({ keys, name }) => (
                      <div key={name}>
                        <dt>
                          {keys.map((key) => (
                            <kbd key={key}>{formatKey(key)}</kbd>
                          ))}
                        </dt>
                        <dd>{name}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
                {n === 0 && (
                  <>
                    <Queries name="Queries" lines={QUERIES} />
                    <Queries name="Filters" lines={listFilters(hub.value !== undefined)} />
                  </>
                )}
              </Fragment>
            ))}
          </div>
          <DialogButtons cancel="Close" onCancel={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

/** What a query may consist of, and what that means. */
type Meanings = readonly (readonly [query: string, meaning: string])[];

function Queries({ name, lines }: { name: string; lines: Meanings }) {
  return (
    <section>
      <h3>{name}</h3>
      <dl class={`keys${lines === QUERIES ? " queries" : ""}`}>
        {lines.map(([query, meaning]) => (
          <div key={query}>
            <dt>
              <code>{query}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
