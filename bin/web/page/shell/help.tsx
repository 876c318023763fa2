/** The keys of every view, those of the current one first, and how to write queries. */
import { useState } from "preact/hooks";
import { FIELD_MEANINGS } from "../../../format/field-meanings.ts";
import { COMMANDS, type CommandView, formatKey, useCommands } from "./commands.ts";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { hub } from "./source.ts";

/** A command is in one group. */
interface KeyGroup {
  name: string;
  /** In this view, the help begins with the group. */
  view?: CommandView;
  /** The views of its commands. */
  views: readonly (readonly CommandView[])[];
  /** Whether its commands are keys of the search field. */
  isOfField?: true;
}

const GROUPS: readonly KeyGroup[] = [
  { name: "List", view: "sessions", views: [["sessions"], ["sessions", "trash"]] },
  { name: "Open session", view: "session", views: [["session"]] },
  { name: "Trash", view: "trash", views: [["trash"]] },
  { name: "Selected or open session", views: [["sessions", "session"]] },
  { name: "Search field", views: [["sessions"]], isOfField: true },
  { name: "Everywhere", view: "everywhere", views: [["everywhere"]] },
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
    ({ views, keys, isKeyOnly, isNative }) =>
      group.views.some((each) => each.join() === views.join()) &&
      (isKeyOnly && isNative) === group.isOfField &&
      keys.length > 0 &&
      !keys.includes("Escape"),
  );
  const lines = commands.flatMap(({ name, keys, both }, n) => {
    if (commands[n - 1]?.both !== undefined) return [];
    return both === undefined
      ? { name: name.replace(/…$/, ""), keys }
      : { name: both, keys: [...keys, ...(commands[n + 1]?.keys ?? [])] };
  });
  return group.view === "everywhere" ? [...lines, CLOSE] : lines;
}

/** A button that shows the help, which `?` does too. */
export function Help({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  useCommands("everywhere", () => ({ help: () => setOpen(true) }));
  const view = viewAt(path);
  /** The groups with keys of the current view before the others, and its own one first. */
  const rank = (group: KeyGroup) => {
    if (group.view === view) return 0;
    return group.view === "everywhere" || group.views.flat().includes(view) ? 1 : 2;
  };
  const groups = GROUPS.toSorted((a, b) => rank(a) - rank(b));
  const [usable, others] = [
    groups.filter((group) => rank(group) < 2),
    groups.filter((group) => rank(group) === 2),
  ];
  const syntax = (
    <>
      <Queries name="Queries" lines={QUERIES} />
      <Queries name="Filters" lines={listFilters(hub.value !== undefined)} />
    </>
  );
  // Without a keyboard, keys are of least use.
  const isTouch = isOpen && matchMedia("(hover: none)").matches;
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
            {isTouch && syntax}
            {usable.map(showKeys)}
            {!isTouch && syntax}
            {others.map(showKeys)}
          </div>
          <DialogButtons cancel="Close" onCancel={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function showKeys(group: KeyGroup) {
  return (
    <section key={group.name}>
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
