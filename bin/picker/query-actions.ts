/** Actions on queries: recalls earlier ones, and saves them by name. */
import { filePattern } from "../format/query-words.ts";
import { parseTypedQuery } from "../format/typed-query.ts";
import type { PickerContext } from "./context.ts";
import { formatKey } from "./keys/key-names.ts";
import type { PaletteItem } from "./model/palette-item.ts";
import { confirmPrompt, textPrompt } from "./prompt.ts";
import { QueryHistory } from "./query-history.ts";
import { StoredQueries, storedQueriesPath } from "./stored-queries.ts";

/** Repeated keys within this time are taken for a key that is held down, in milliseconds. */
const HELD_KEY_MS = 300;

export class QueryActions {
  readonly #picker: PickerContext;
  readonly #stored: StoredQueries;
  readonly #history: QueryHistory;
  /** When Up last moved the selection: while it is held down, it recalls no queries. */
  #movedUpAt = Number.NEGATIVE_INFINITY;

  /** The pattern that `scan` made last, and the query before. */
  #scanned: { query: string; pattern: string } | undefined;

  constructor(picker: PickerContext) {
    this.#picker = picker;
    this.#stored = new StoredQueries(storedQueriesPath(picker.env), picker.settings.history);
    this.#history = new QueryHistory(() => this.#stored.history);
  }

  /** Adds a query to the history: one that led to a session, or that was cleared. */
  remember(query: string): void {
    this.#stored.remember(query);
  }

  /** The query before the current one; undefined if there is none. */
  older(query: string): string | undefined {
    this.#movedUpAt = Number.NEGATIVE_INFINITY;
    return this.#history.older(query);
  }

  /** The query after a recalled one; undefined if none was recalled. */
  newer(query: string): string | undefined {
    return this.#history.newer(query);
  }

  /** Whether Up recalls a query instead of moving: in the first row, if nothing was typed since, and if the key is not held down. */
  isRecalledByUp(query: string): boolean {
    const pressedAt = performance.now();
    const isHeld = pressedAt - this.#movedUpAt < HELD_KEY_MS;
    const isFirst = this.#picker.state.selected === 0;
    if (!isFirst || isHeld) this.#movedUpAt = pressedAt;
    return isFirst && !isHeld && (query === "" || this.#history.isRecalled(query));
  }

  /** Searches the files themselves for the query, which also finds text that is not indexed; or searches the index again. */
  scan(query: string): void {
    const { setQuery, showMessage, keys } = this.#picker;
    const [key] = keys.getKeys("scan", "list");
    const pattern = this.#scanned?.pattern === query ? undefined : toPattern(query);
    if (this.#scanned?.pattern === query) {
      setQuery(this.#scanned.query);
      showMessage("searching the index");
    } else if (pattern === undefined) {
      const isEmpty = toText(query) === "";
      showMessage(
        isEmpty
          ? "type a text or a regular expression first, then search the files"
          : "already searching the files",
      );
    } else {
      this.#scanned = { query, pattern };
      setQuery(pattern);
      showMessage("searching the files", key && `${formatKey(key)} back to the index`);
    }
  }

  /** Prompts for a name for the query; an empty name removes the search that is saved with this query. */
  save(text: string): void {
    const { openPrompt, showMessage, showError } = this.#picker;
    const query = text.trim();
    if (query === "") {
      showMessage("type a query first, then save it");
      return;
    }
    const saved = this.#stored.searches.find((each) => each.query === query);
    const save = (name: string) => {
      try {
        if (saved && saved.name !== name) this.#stored.remove(saved.name);
        if (name !== "") this.#stored.save({ name, query });
        showMessage(name === "" ? "no search saved" : `saved: ${this.#paletteKey} lists it as ${name}`);
      } catch (error) {
        showError(error);
      }
    };
    openPrompt(textPrompt("Save the search as", saved?.name ?? "", save));
  }

  get #paletteKey(): string {
    const [key] = this.#picker.keys.getKeys("palette", "list");
    return key === undefined ? "the list of commands" : formatKey(key);
  }

  /** The saved searches, for the palette. */
  get items(): PaletteItem[] {
    const [key] = this.#picker.keys.getKeys("removeSearch", "palette");
    const group = `Saved searches${key === undefined ? "" : ` (${formatKey(key)} removes one)`}`;
    return this.#stored.searches.map(({ name, query }) => {
      return { label: `saved search: ${name}`, keys: query, command: { query, name }, group };
    });
  }

  /** Removes a saved search, after confirmation. @param onRemoved called if the user confirmed */
  remove(name: string, onRemoved: () => void): void {
    const { openPrompt, showMessage, showError } = this.#picker;
    const confirm = () => {
      try {
        this.#stored.remove(name);
        onRemoved();
        showMessage(`removed the saved search ${name}`);
      } catch (error) {
        showError(error);
      }
    };
    const cancel = () => showMessage("not removed");
    openPrompt(confirmPrompt(`Remove the saved search “${name}”?`, { confirm, cancel }));
  }
}

/** A query without a `re:` at its start. */
const toText = (query: string): string => query.replace(/^\s*re:/, "").trim();

/** The query as a pattern; undefined if it is empty, or one already. */
function toPattern(query: string): string | undefined {
  return toText(query) === "" || parseTypedQuery(query).by === "pattern" ? undefined : filePattern(query);
}
