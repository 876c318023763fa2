/** Runs actions in the list. */
import type { PickerContext } from "./context.ts";
import { computeLayout } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import type { Marks } from "./marks.ts";
import { getSelectedRow } from "./model/state.ts";
import { SORTS, type View } from "./model/view.ts";
import type { QueryActions } from "./query-actions.ts";
import type { ResultList } from "./result-list.ts";
import { moveSelection } from "./scroll-position.ts";
import type { SelectedPreview } from "./selected-preview.ts";
import type { SessionActions } from "./session-actions.ts";
import type { Handlers, SessionDispatch } from "./session-dispatch.ts";
import type { ThemeChoice } from "./theme-choice.ts";

interface Parts {
  results: ResultList;
  marks: Marks;
  queries: QueryActions;
  actions: SessionActions;
  dispatch: SessionDispatch;
  selectedPreview: SelectedPreview;
  themes: ThemeChoice;
  openFacets: () => void;
}

export class ListView {
  readonly #picker: PickerContext;
  readonly #parts: Parts;

  constructor(picker: PickerContext, parts: Parts) {
    this.#picker = picker;
    this.#parts = parts;
  }

  run(action: ActionId): void {
    const { state, query, showErrorText } = this.#picker;
    const { marks, results, queries, dispatch } = this.#parts;
    const handlers = this.#handlers;
    const row = getSelectedRow(state);
    const to = moveSelection(action, state.selected, state.results.rows.length, this.#pageRows);
    const isFailed = state.failure !== undefined;
    if (to !== undefined) {
      if (action === "up" && queries.isRecalledByUp(query.text)) handlers.olderQuery?.();
      else if (!isFailed) this.select(to);
    } else if (!marks.isEmpty && dispatch.runOnAll(action, marks.sessions)) return;
    else if (handlers[action]) handlers[action]();
    else if (row && results.hasJustMoved) showErrorText("the list changed; press the key again");
    else if (row && action === "mark") this.#mark();
    else if (row) dispatch.run(action, row.session);
    else showErrorText(isFailed ? "the search failed: no session is selected" : "no session is selected");
  }

  /** Actions that are on no session. */
  get #handlers(): Handlers {
    const { state, cwd, query } = this.#picker;
    const { results, queries, actions, themes, openFacets } = this.#parts;
    const { view } = state;
    const change = (changed: Partial<View>) => results.setView(changed);
    return {
      scope: () => change({ cwd: view.cwd === undefined ? cwd : undefined }),
      sort: () => change({ sort: SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] ?? "newest" }),
      named: () => change({ named: !view.named }),
      archived: () => change({ archived: !view.archived }),
      subagents: () => change({ subagents: !view.subagents }),
      theme: () => themes.next(),
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
    };
  }

  get #pageRows(): number {
    const { screen, settings } = this.#picker;
    return Math.max(1, computeLayout(screen.size, settings.preview).list.rows - 1);
  }

  select(to: number): void {
    this.#picker.state.selected = to;
    this.#parts.results.loadMore();
    this.#parts.selectedPreview.loadLater();
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
