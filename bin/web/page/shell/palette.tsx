/** The command palette: what can be done here, the views, the newest sessions by title, and their projects, models and tags. */
import fuzzysort from "fuzzysort";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { toOneLine } from "../../../format/safe.ts";
import { formatShortDate } from "../../../format/times.ts";
import { folderName, getSessionTitle } from "../../../format/titles.ts";
import type { SessionJson } from "../../api/json.ts";
import { sessionUrl, toUrlName, withParams } from "./address.ts";
import { apiGet } from "./api.ts";
import { type AvailableCommand, formatKey } from "./commands.ts";
import { Dialog } from "./dialog.tsx";
import "./palette.css";

/** The number of the newest sessions to match by their titles. A search finds the others. */
const MAX_SESSIONS = 500;
/** Sessions shown before anything is typed, and then. */
const MAX_RECENT = 5;
const MAX_MATCHES = 8;
/** Projects, models and tags shown once something is typed. */
const MAX_FILTERS = 5;
/** Characters of a title that are matched: in a long first message, the letters of any word occur in order. */
const MAX_TITLE_LENGTH = 100;
/** Scores are between 0 and 1. Below, most matches are accidental. */
const MIN_SCORE = 0.3;
/** Differences in score below this are smaller than the difference between a new and an old session. */
const SCORE_STEP = 0.1;
const MAX_SCORED = 100;

interface Item {
  group: string;
  name: string;
  /** Positions of matched characters in the name. */
  matched: ReadonlySet<number>;
  keys: readonly string[];
  note?: string;
  run: () => unknown;
}

interface Props {
  commands: readonly AvailableCommand[];
  route: (address: string) => void;
  /** Closes the palette; `run` is called after the focus is back. */
  onClose: (run?: () => unknown) => void;
}

export function Palette({ commands, route, onClose }: Props) {
  const [text, setText] = useState("");
  const [selected, setSelected] = useState<number>();
  const [sessions, setSessions] = useState<readonly SessionJson[]>([]);
  const list = useId();
  const rows = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    apiGet("list", { limit: MAX_SESSIONS, archived: "yes" }, stop.signal).then(
      (answer) => setSessions(answer.sessions),
      () => {}, // the commands are of use without sessions
    );
    return () => stop.abort();
  }, []);
  const filters = useMemo(() => listFilters(sessions), [sessions]);
  const items = useMemo(() => {
    const found = [
      ...findCommands(commands, text),
      ...findFilters(filters, text, route),
      ...findSessions(sessions, text, route),
    ];
    return text.trim() === "" ? orderItems(found) : found;
  }, [commands, sessions, filters, text, route]);
  if (text.trim() !== "") items.push(searchItem(text.trim(), route));
  const at = Math.min(selected ?? findFirst(items), items.length - 1);
  useLayoutEffect(() => {
    rows.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, items]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown") setSelected((at + 1) % items.length);
    else if (key === "ArrowUp") setSelected((at + items.length - 1) % items.length);
    else if (key === "PageDown") setSelected(Math.min(items.length - 1, at + 8));
    else if (key === "PageUp") setSelected(Math.max(0, at - 8));
    else if (key === "Enter" && !event.isComposing) onClose(items[at]?.run);
    else if (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Commands" class="palette" hidesTitle onClose={() => onClose()}>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Commands and sessions"
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `${list}-${at}` : undefined}
        placeholder="Type a command, title, project, model or tag"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setSelected(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={rows} id={list} class="palette-list" role="listbox" aria-label="Commands">
        {groupBy(items).map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list box have no fieldsets
          <div key={group} role="group" aria-label={group}>
            <div class="palette-group" aria-hidden="true">
              {group}
            </div>
            {members.map(({ item, n }) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
              <div
                key={n}
                id={`${list}-${n}`}
                role="option"
                class="palette-item"
                aria-selected={n === at}
                onMouseMove={() => n !== at && setSelected(n)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onClose(item.run)}
              >
                <bdi class="palette-name">{markMatched(item)}</bdi>
                {item.note && <span class="palette-note">{item.note}</span>}
                {item.keys.map((key) => (
                  <kbd key={key}>{formatKey(key)}</kbd>
                ))}
              </div>
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

const NONE: ReadonlySet<number> = new Set();
const THIS_VIEW = "This view";
const EVERY_VIEW = "Every view";
const RECENT = "Recent sessions";

/** The groups of an empty palette in their order: commands on a session first, under its title. */
function orderItems(items: readonly Item[]): Item[] {
  const place = ({ group }: Item) => [THIS_VIEW, RECENT, EVERY_VIEW].indexOf(group);
  return items.toSorted((a, b) => place(a) - place(b));
}

/** What Enter runs at first: not a command on the view as a whole, which may select all sessions of the list. */
function findFirst(items: readonly Item[]): number {
  return Math.max(
    0,
    items.findIndex(({ group }) => group !== THIS_VIEW),
  );
}

function findCommands(commands: readonly AvailableCommand[], text: string): Item[] {
  const all = commands
    .filter(({ command }) => !command.isKeyOnly)
    .map(({ command, name, keys, run, subject = THIS_VIEW }) => ({
      ...{ name, run, matched: NONE, keys: keys.slice(0, 1) },
      group: command.views.some((view) => view === "everywhere") ? EVERY_VIEW : subject,
    }));
  if (text.trim() === "") return all;
  const found = fuzzysort.go(text, all, { key: "name", threshold: MIN_SCORE });
  return found.map(({ obj, indexes }) => ({ ...obj, group: "Commands", matched: new Set(indexes) }));
}

function findSessions(
  sessions: readonly SessionJson[],
  text: string,
  route: (address: string) => void,
): Item[] {
  const toItem = (group: string, session: SessionJson, matched: ReadonlySet<number>): Item => ({
    ...{ group, matched, keys: [] },
    name: toMatchedTitle(session),
    note: [folderName(session.cwd), formatShortDate(new Date(session.modified))].filter(Boolean).join(" · "),
    run: () => route(sessionUrl(toUrlName(session))),
  });
  if (text.trim() === "")
    return sessions.slice(0, MAX_RECENT).map((session) => toItem(RECENT, session, NONE));
  const places = new Map(sessions.map((session, n) => [session, n]));
  const rank = ({ score }: { score: number }) => Math.floor(score / SCORE_STEP);
  const placeOf = ({ obj }: { obj: SessionJson }) => places.get(obj) ?? 0;
  return [...fuzzysort.go(text, sessions, { key: toMatchedTitle, threshold: MIN_SCORE, limit: MAX_SCORED })]
    .sort((a, b) => rank(b) - rank(a) || placeOf(a) - placeOf(b))
    .slice(0, MAX_MATCHES)
    .map(({ obj, indexes }) => toItem("Sessions", obj, new Set(indexes)));
}

function toMatchedTitle(session: SessionJson): string {
  return getSessionTitle(session).slice(0, MAX_TITLE_LENGTH);
}

/** A project, model or tag, and the list that it filters. */
interface Filter {
  name: string;
  /** What it is. */
  note: string;
  params: Record<string, string>;
}

/** The projects, models and tags of sessions, each once, those of newer sessions first. */
function listFilters(sessions: readonly SessionJson[]): Filter[] {
  const filters = new Map<string, Filter>();
  const add = (note: string, field: string, value: string | undefined, name = value) => {
    const key = `${field}:${value}`;
    if (value && name && !filters.has(key)) filters.set(key, { name, note, params: { [field]: value } });
  };
  for (const { cwd, provider, model, tags } of sessions) {
    add("project", "cwd", cwd, folderName(cwd));
    add("model", "model", model && [provider, model].filter(Boolean).join("/"), model);
    for (const tag of tags) add("tag", "tags", tag);
  }
  return [...filters.values()];
}

function findFilters(filters: readonly Filter[], text: string, route: (address: string) => void): Item[] {
  if (text.trim() === "") return [];
  return fuzzysort
    .go(text, filters, { key: "name", threshold: MIN_SCORE, limit: MAX_FILTERS })
    .map(({ obj: { name, note, params }, indexes }) => ({
      ...{ group: "Filter sessions", name: toOneLine(name), note, keys: [] },
      matched: new Set(indexes),
      run: () => route(withParams("/", params)),
    }));
}

function searchItem(text: string, route: (address: string) => void): Item {
  const name = `Search all sessions for “${text}”`;
  return {
    ...{ group: "Search", name, matched: NONE, keys: [] },
    run: () => route(withParams("/", { q: text })),
  };
}

/** The items of each group, in their order, with their positions. */
function groupBy(items: readonly Item[]): [string, { item: Item; n: number }[]][] {
  return [
    ...Map.groupBy(
      items.map((item, n) => ({ item, n })),
      ({ item }) => item.group,
    ),
  ];
}

function markMatched({ name, matched }: Item) {
  if (matched.size === 0) return name;
  return Array.from({ length: name.length }, (_, n) => name[n] as string)
    .reduce<{ text: string; isMatch: boolean }[]>((pieces, letter, n) => {
      const last = pieces.at(-1);
      if (last?.isMatch === matched.has(n)) last.text += letter;
      else pieces.push({ text: letter, isMatch: matched.has(n) });
      return pieces;
    }, [])
    .map(({ text, isMatch }, n) => (isMatch ? <b key={n}>{text}</b> : text));
}
