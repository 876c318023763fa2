/** Runs actions in the list. */
import { findsHits, sortsByColumn } from "../format/typed-query.ts";
import type { PickerContext } from "./context.ts";
import { computeLayout } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import { formatKey } from "./keys/key-names.ts";
import type { Marks } from "./marks.ts";
import { getSelectedRow } from "./model/state.ts";
import { SORTS, type View } from "./model/view.ts";
import { refusalPrompt } from "./prompt.ts";
import type { QueryActions } from "./query-actions.ts";
import type { ResultList } from "./result-list.ts";
import { moveSelection } from "./scroll-position.ts";
import type { SelectedPreview } from "./selected-preview.ts";
import type { SessionActions } from "./session-actions.ts";
import type { Handlers, SessionDispatch } from "./session-dispatch.ts";
import type { Settings } from "./settings.ts";
import type { ThemeChoice } from "./theme-choice.ts";

/** Changes that are made to one session, as they are called in a message. */
const CHANGES_OF_ONE: Partial<Record<ActionId, string>> = {
  rename: "rename",
  label: "label",
  fork: "fork",
  move: "move",
  edit: "edit",
  copyAnswer: "copying an answer",
  copyHandoff: "copying a brief",
};

/** The next order: of hits, or else of the list, which is threaded only without a query. */
function nextSort({ sort, newestHits, query }: View): Partial<View> {
  if (findsHits(query)) return { newestHits: !newestHits };
  const sorts = SORTS.filter((each) =>
    each === "threaded" ? query.trim() === "" : each === "newest" || sortsByColumn(query),
  );
  return { sort: sorts[(sorts.indexOf(sort) + 1) % sorts.length] ?? "newest" };
}

/** Changes of one session that open a prompt for a text. */
const TYPES_TEXT: ReadonlySet<ActionId> = new Set(["rename", "label", "move"]);

/** Actions on a session that open a prompt. */
const OPENS_PROMPT: ReadonlySet<ActionId> = new Set(["rename", "tag", "label", "move", "delete", "edit"]);

interface Parts {
  results: ResultList;
  marks: Marks;
  queries: QueryActions;
  actions: SessionActions;
  dispatch: SessionDispatch;
  selectedPreview: SelectedPreview;
  themes: ThemeChoice;
  openFacets: () => void;
  openTrash: () => void;
}

export class ListView {
  readonly #picker: PickerContext;
  readonly #parts: Parts;
  /** An action on the selected session that waits for the results of the query, and what ends the wait. */
  #waiting: { action: ActionId; end: () => void } | undefined;

  /** Where the preview is shown again after it was hidden. */
  #previewPlace: Settings["preview"];

  constructor(picker: PickerContext, parts: Parts) {
    this.#previewPlace = picker.settings.preview;
    this.#picker = picker;
    this.#parts = parts;
  }

  /** @returns whether an action waited for results */
  cancelWaiting(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.end();
    return waiting !== undefined;
  }

  /** Call this when the rows changed. */
  onRowsChanged(): void {
    const { state } = this.#picker;
    const waiting = this.#waiting;
    if (waiting === undefined || state.mode !== "list") return;
    if (state.failure === undefined && !this.#parts.results.isCurrent) return;
    this.#waiting = undefined;
    if (state.failure === undefined) this.run(waiting.action);
    waiting.end();
  }

  /** Runs an action when the results of the query are here, and then the keys typed meanwhile. */
  #runLater(action: ActionId): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { action, end: resolve };
    void this.#picker.holdKeys(promise, { replays: !OPENS_PROMPT.has(action) });
  }

  run(pressed: ActionId): void {
    const { state, query, showErrorText } = this.#picker;
    // Who sees completions expects that Tab takes one. Moving in the list hides them.
    const action = pressed === "mark" && state.completions.texts.length > 0 ? "complete" : pressed;
    const { marks, results, queries, dispatch } = this.#parts;
    const handlers = this.#handlers;
    const row = getSelectedRow(state);
    const to = moveSelection(action, state.selected, state.results.rows.length, this.#pageRows);
    const isFailed = state.failure !== undefined;
    if (to !== undefined) {
      if (action === "up" && queries.isRecalledByUp(query.text)) handlers.olderQuery?.();
      // Right after typing, the rows of that query are meant.
      else if (state.isLoading && !results.isCurrent && !isFailed) this.#runLater(action);
      else if (!isFailed && action === "last") void this.#selectLast();
      else if (!isFailed) this.select(to);
    } else if (!marks.isEmpty && dispatch.runOnAll(action, marks.sessions)) return;
    else if (this.#refuseForMarked(action)) return;
    else if (handlers[action]) handlers[action]();
    // Right after typing, an action means the first result of that query, not a session of the list before.
    else if (state.isLoading && !results.isCurrent) this.#runLater(action);
    else if (row && results.hasJustMoved) showErrorText("the list changed; press the key again");
    else if (row && action === "mark") this.#mark();
    else if (row) {
      if (action === "preview" || action === "tree") results.postponeRefining();
      dispatch.run(action, row.session);
    } else showErrorText(isFailed ? "the search failed: no session is selected" : "no session is selected");
  }

  /** Refuses a change of one session while others are marked: the user may expect it to apply to these. @returns whether it did */
  #refuseForMarked(action: ActionId): boolean {
    const { state, keys, showMessage, openPrompt } = this.#picker;
    const name = CHANGES_OF_ONE[action];
    const [key] = keys.getKeys("back", "list");
    const isOtherMarked = [...state.marked.keys()].some(
      (path) => path !== getSelectedRow(state)?.session.path,
    );
    if (name === undefined || !isOtherMarked) return false;
    const message = `${name} applies to one session`;
    const hint = key && `${formatKey(key)} clears the marks`;
    if (TYPES_TEXT.has(action))
      openPrompt(refusalPrompt(message, hint ? ` · ${hint}` : "", () => this.#parts.marks.clear()));
    else showMessage(message, hint);
    return true;
  }

  /** Actions that are on no session. */
  get #handlers(): Handlers {
    const { state, cwd, query } = this.#picker;
    const { results, queries, actions, themes, openFacets, openTrash } = this.#parts;
    const { view } = state;
    const change = (changed: Partial<View>) => results.setView(changed);
    return {
      scope: () => change({ cwd: view.cwd === undefined ? cwd : undefined }),
      sort: () => change(nextSort(view)),
      named: () => change({ named: !view.named }),
      archived: () => change({ archived: !view.archived }),
      subagents: () => change({ subagents: !view.subagents }),
      theme: () => themes.next(),
      togglePreview: () => this.#togglePreview(),
      path: () => {
        state.showsPaths = !state.showsPaths;
      },
      complete: () => {
        query.text = results.complete(query.text);
      },
      olderQuery: () => this.#recall(queries.older(query.text)),
      newerQuery: () => this.#recall(queries.newer(query.text)),
      saveSearch: () => queries.save(query.text),
      facets: openFacets,
      scan: () => queries.scan(query.text),
      undo: () => actions.undo(),
      trash: openTrash,
    };
  }

  /** Hides the preview, or shows it: where the settings have it, or else where there is room. */
  #togglePreview(): void {
    const { screen, settings, showMessage, onRowsChanged } = this.#picker;
    const isShownAt = (place: Settings["preview"]) => computeLayout(screen.size, place).preview !== undefined;
    const place = isShownAt(settings.preview)
      ? "off"
      : ([this.#previewPlace, "right", "below"] as const).find(isShownAt);
    if (place === undefined) showMessage("no room for a preview");
    else if (place === "off") this.#previewPlace = settings.preview;
    settings.preview = place ?? settings.preview;
    onRowsChanged();
  }

  get #pageRows(): number {
    const { screen, settings } = this.#picker;
    return Math.max(1, computeLayout(screen.size, settings.preview).list.rows - 1);
  }

  select(to: number): void {
    this.#picker.state.selected = to;
    this.#parts.results.clearCompletions();
    this.#parts.results.loadMore();
    this.#parts.selectedPreview.loadLater();
  }

  /** The rest of the list may not be loaded yet. */
  async #selectLast(): Promise<void> {
    const { state, screen } = this.#picker;
    const rest = this.#parts.results.loadRest();
    this.select(state.results.rows.length - 1);
    const { view } = state;
    const selected = getSelectedRow(state)?.session.path;
    if (!(await rest)) return;
    if (getSelectedRow(state)?.session.path !== selected || state.view !== view) return; // the user went on
    this.select(state.results.rows.length - 1);
    screen.redraw();
  }

  #recall(query: string | undefined): void {
    if (query === undefined) this.#picker.showMessage("no other query in the history");
    else this.#picker.setQuery(query);
  }

  /** Marks or unmarks the selected session, and goes to the next one. */
  #mark(): void {
    const { state } = this.#picker;
    const row = getSelectedRow(state);
    if (row) this.#parts.marks.toggle(row.session);
    if (state.selected + 1 < state.results.rows.length) this.select(state.selected + 1);
  }
}
