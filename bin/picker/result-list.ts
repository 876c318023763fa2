/** The results in the list: requested as the user types, and again when sessions change. */
import { PidexError, type SyncProgress } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { isCompletable } from "../format/query-words.ts";
import { findsHits, parseTypedQuery } from "../format/typed-query.ts";
import type { PickerContext } from "./context.ts";
import { computeLayout } from "./frames/layout.ts";
import { keepLine, mergeInPlace, scrollIntoView } from "./keep-in-place.ts";
import { LatestRequest } from "./latest-request.ts";
import { getSelectedRow, type State } from "./model/state.ts";
import type { Row, View } from "./model/view.ts";

/** Minimum time between two updates of the list while an index is built, in milliseconds. */
const UPDATE_INTERVAL_MS = 300;
/** Complete results are requested after no key was pressed for this long, in milliseconds. */
const REFINE_DELAY_MS = 300;
/** The rows are dim if a changed view is not loaded after this long, in milliseconds: less would flicker while typing. */
const STALE_DELAY_MS = 100;
/**
 * After the session under the cursor changed by itself, a key within this time is assumed to be meant for the previous one, in
 * milliseconds: longer than it takes to see a row and press a key.
 */
const MOVED_MS = 1000;
/** Maximum time that keys wait for the list to show a change by the user, in milliseconds. */
const MAX_SHOW_CHANGE_MS = 1000;
/** More rows are requested when fewer than this many are left below the selected one. */
const ROWS_AHEAD = 100;
/** Rows of the next page of a search. */
const NEXT_ROWS = 50;

interface Request {
  view: View;
  /** `new`: the view changed, so that its first row is selected. `complete`: quick results of the same view are completed. */
  kind: "new" | "complete" | "reload";
  /** Whether the user is typing: fast partial results are enough. */
  quick: boolean;
}

export class ResultList {
  readonly #picker: PickerContext;
  readonly #state: State;
  readonly #finding: LatestRequest<Request>;
  #refining: NodeJS.Timeout | undefined;
  /** Whether the request that runs completes quick results. */
  #isRefining = false;
  #becomingStale: NodeJS.Timeout | undefined;
  readonly #completing: LatestRequest<string>;
  /** Whether a changed view was requested and its rows have not arrived yet. */
  #isNew = false;
  /**
   * Whether the selection stays on the first row. True for a list that was empty at first, until a key is pressed or the first index is
   * complete: the selection would otherwise stay on the session that was indexed first.
   */
  #keepsFirst: boolean;
  /** Path of the session to select when it is listed next. */
  #toSelect: string | undefined;
  /** Whether the selection may move without a warning, because the user changed a session. */
  #mayMove = false;
  /** Called when the list shows the results of its last request, or an error. */
  #waitingForRows: (() => void)[] = [];
  /** When the session under the cursor last changed without a key. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #listedAt = 0;
  /** Paths of sessions that the user removed from the list: if they are listed again, they are not new. */
  readonly #changed = new Set<string>();
  /** Aborts the request for more rows. */
  #endOfReading = new AbortController();
  #readingMore: Promise<unknown> | undefined;

  constructor(picker: PickerContext) {
    this.#picker = picker;
    this.#state = picker.state;
    this.#keepsFirst = picker.state.results.rows.length === 0 && picker.state.view.query.trim() === "";
    this.#finding = new LatestRequest((request, signal) => this.#find(request, signal));
    this.#completing = new LatestRequest((query) => this.#lookUpCompletions(query));
  }

  /** Requests the first results. */
  load(): void {
    // Not quick: completing the results could move rows, and the user is not typing yet.
    this.#ask(this.#state.view.query !== "", false);
  }

  /** Call this for every key: from then on, the cursor stays on its session. */
  onKey(): void {
    this.#keepsFirst = false;
  }

  /** Whether the session under the cursor has just changed by itself: a key may be meant for the previous one. */
  get hasJustMoved(): boolean {
    return performance.now() - this.#movedAt < MOVED_MS;
  }

  /** Runs another query. */
  setQuery(query: string): void {
    this.setView({ query });
    this.clearCompletions();
    if (isCompletable(query)) this.#completing.request(query);
  }

  /** Shows another view. */
  setView(view: Partial<View>): void {
    this.#state.view = { ...this.#state.view, ...view };
    this.#ask(true);
  }

  /**
   * Reloads the list after the user changed a session; the cursor may move without a warning.
   *
   * @param select path of the session to select, if it is listed
   * @returns once the list shows the change, or after a second: a search of the files themselves can take long
   */
  reloadAfterChange(select?: string): Promise<void> {
    this.#toSelect = select;
    this.#mayMove = true;
    this.#movedAt = Number.NEGATIVE_INFINITY; // an earlier request may have moved it already
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingForRows.push(resolve);
    setTimeout(resolve, MAX_SHOW_CHANGE_MS).unref();
    this.reload();
    return promise;
  }

  /** Lets requests of the reader go first: the search of the list is completed later. */
  postponeRefining(): void {
    if (!this.#isRefining && this.#refining === undefined) return;
    this.#finding.cancel();
    this.#refine();
  }

  /** Removes sessions from the list until it is loaded again: a change of the user is about to remove them. */
  hide(paths: readonly string[]): void {
    const { results, selected } = this.#state;
    const hidden = new Set(paths);
    for (const path of paths) this.#changed.add(path);
    const rows = results.rows.filter(({ session }) => !hidden.has(session.path));
    const before = results.rows.slice(0, selected).filter(({ session }) => hidden.has(session.path)).length;
    const total = results.total - (results.rows.length - rows.length);
    this.#state.results = { ...results, rows, total };
    this.#state.selected = Math.max(0, Math.min(selected - before, rows.length - 1));
    this.#picker.onRowsChanged();
    this.#picker.screen.redraw();
  }

  /** Reloads the list: sessions may have changed. */
  reload(): void {
    this.#listedAt = performance.now();
    void this.#picker.client.call("clearCaches").catch(() => {}); // a new host has no cache to clear
    this.#ask(false);
  }

  /** Whether the results shown belong to the current view. */
  get isCurrent(): boolean {
    return JSON.stringify(this.#state.results.view) === JSON.stringify(this.#state.view);
  }

  onProgress(progress: SyncProgress): void {
    this.#state.indexing = progress;
    if (performance.now() - this.#listedAt > UPDATE_INTERVAL_MS) this.reload();
  }

  /** @param changed whether sessions may have changed: loading 10,000 of them again takes a third of a second */
  onSynced(changed: boolean): void {
    this.#state.indexing = undefined;
    this.#state.isSyncing = false;
    if (changed) this.reload();
  }

  #ask(isNew: boolean, quick = isNew): void {
    this.#state.isLoading = true;
    // A reload while a changed view is pending must still select its first row.
    this.#isNew ||= isNew;
    if (this.#isNew) this.#markStaleLater();
    clearTimeout(this.#refining);
    this.#refining = undefined;
    if (this.#isNew) this.#endOfReading.abort(); // the rows belong to the view before
    this.#finding.request({ view: this.#state.view, kind: this.#isNew ? "new" : "reload", quick });
  }

  /** Dims the rows if the first of the changed views since the last results takes long. */
  #markStaleLater(): void {
    this.#becomingStale ??= setTimeout(() => {
      this.#state.isStale = true;
      this.#picker.screen.redraw();
    }, STALE_DELAY_MS);
  }

  #endStale(): void {
    clearTimeout(this.#becomingStale);
    this.#becomingStale = undefined;
    this.#state.isStale = false;
  }

  /** Requests complete results once the user has stopped typing. */
  #refine(): void {
    clearTimeout(this.#refining);
    this.#refining = setTimeout(() => this.#refineNow(), REFINE_DELAY_MS);
  }

  #refineNow(): void {
    clearTimeout(this.#refining);
    this.#refining = undefined;
    this.#finding.request({ view: this.#state.view, kind: "complete", quick: false });
  }

  close(): void {
    clearTimeout(this.#refining);
    clearTimeout(this.#becomingStale);
  }

  async #find({ view, kind, quick }: Request, signal: AbortSignal): Promise<void> {
    let shownAs = kind;
    this.#isRefining = kind === "complete";
    const show = (results: State["results"]) => {
      this.#isNew = false;
      this.#endStale();
      this.#show(results, shownAs);
      if (shownAs === "new") shownAs = "reload"; // later parts belong to the same view
      for (const resolve of this.#waitingForRows.splice(0)) resolve();
    };
    const part = (results: State["results"]) => {
      if (signal.aborted) return;
      show(results);
      this.#picker.screen.redrawNow();
    };
    const height = findsHits(view.query) ? Math.ceil(this.#height / 2) : this.#height; // hits take lines too
    const atLeast = kind === "new" ? height : this.#state.results.rows.length;
    try {
      const params = { view, quick, minRows: atLeast };
      const results = await this.#picker.client.call("results", params, { onPartialResult: part, signal });
      if (signal.aborted) return; // a newer request is waiting
      this.#state.isLoading = false;
      this.#isRefining = false;
      show(results);
      this.#mayMove = false;
      // An empty list is requested again, to say why it is empty.
      const isWhole = parseTypedQuery(view.query).by === "pattern"; // nothing is searched quickly in files
      if (quick && !isWhole && (results.hasMore || results.rows.length === 0)) this.#refine();
    } catch (error) {
      if (signal.aborted) return;
      this.#state.isLoading = false;
      this.#endStale();
      if (this.isCurrent) this.#picker.showError(error);
      else this.#fail(error);
      for (const resolve of this.#waitingForRows.splice(0)) resolve();
    }
    this.#picker.screen.redrawNow();
  }

  /** Shows why the view could not be loaded. The rows stay, but are not those of the view. */
  #fail(error: unknown): void {
    const isKnown = error instanceof PidexError;
    const failure = isKnown ? `${error.message}\n${error.hint}` : toMessage(error);
    Object.assign(this.#state, { failure, selected: 0, top: 0, newAbove: 0 });
    this.#picker.onRowsChanged();
  }

  /** @param kind `new` selects the first row; otherwise the selection stays on its session, and on its line of the screen */
  #show(results: State["results"], kind: Request["kind"]): void {
    const state = this.#state;
    const isNew = kind === "new";
    const isListed = results.rows.some(({ session }) => session.path === this.#toSelect);
    const chosen = isListed ? this.#toSelect : getSelectedRow(state)?.session.path;
    if (isListed || isNew) this.#toSelect = undefined;
    const goesFirst = isNew || this.#keepsFirst;
    if (!state.isSyncing) this.#keepsFirst = false; // the first index is complete
    // After changes by the user, the order is the one that they lead to.
    const staysInPlace = !goesFirst && !this.#mayMove && this.#state.results.rows.length > 0;
    const { rows } = staysInPlace ? this.#mergeInPlace(results, kind) : results;
    const same = goesFirst ? 0 : rows.findIndex(({ session }) => session.path === chosen);
    const position = same >= 0 ? same : state.selected; // if the session is gone, selects the next one
    const selected = Math.max(0, Math.min(position, rows.length - 1));
    // The user watches a change of theirs; other rows must not move from under the selection.
    const top = goesFirst
      ? 0
      : this.#mayMove
        ? scrollIntoView(rows, { top: state.top, selected, height: this.#height })
        : keepLine(state, rows, selected);
    const known = new Set(state.results.rows.map(({ session }) => session.path));
    const isAdded = ({ session }: Row) => !known.has(session.path) && !this.#changed.has(session.path);
    state.newAbove = staysInPlace ? state.newAbove + rows.slice(0, top).filter(isAdded).length : 0;
    Object.assign(state, { selected, top, results: { ...results, rows }, failure: undefined });
    const isSame = isNew || chosen === undefined || getSelectedRow(state)?.session.path === chosen;
    if (!isSame && !this.#mayMove) this.#movedAt = performance.now();
    this.#picker.onRowsChanged();
  }

  #mergeInPlace(results: State["results"], kind: Request["kind"]): { rows: Row[] } {
    const options = { height: this.#height, completes: kind === "complete" };
    return { rows: mergeInPlace(this.#state, results.rows, options) };
  }

  /** Lines of the list on the screen. */
  get #height(): number {
    const { screen, settings } = this.#picker;
    return computeLayout(screen.size, settings.preview).list.rows;
  }

  /** Requests more rows when the selection is near the last loaded row. */
  loadMore(): void {
    const { results, selected } = this.#state;
    // Complete results replace quick ones, and come with more rows.
    if (results.next === undefined || this.#readingMore || this.#refining || this.#isRefining) return;
    if (selected < results.rows.length - ROWS_AHEAD && results.rows.length > ROWS_AHEAD) return;
    void this.#readMore(results);
  }

  /** Requests all rows that are not loaded yet; the next ones if their number is unknown. @returns whether there are more rows now */
  async loadRest(): Promise<boolean> {
    const { view } = this.#state;
    const count = this.#state.results.rows.length;
    for (let isComplete = false; !isComplete; ) {
      await this.#readingMore;
      await this.#waitUntilComplete();
      const { results } = this.#state;
      if (this.#state.view !== view || results.next === undefined) break;
      const added = await this.#readMore(results, results.total - results.rows.length);
      // Results that were replaced meanwhile have a rest of their own.
      if (added !== undefined) isComplete = results.hasMore || added === 0;
    }
    return this.#state.view === view && this.#state.results.rows.length > count;
  }

  /**
   * Waits for the results that are requested or due, and completes quick results at once: they replace the rows, and further rows would
   * be those of other results.
   */
  async #waitUntilComplete(): Promise<void> {
    do {
      if (this.#refining !== undefined) this.#refineNow();
      await this.#finding.idle;
    } while (this.#refining !== undefined);
  }

  /** @returns the number of added rows; undefined if the results were replaced meanwhile */
  #readMore(results: State["results"], minRows = NEXT_ROWS): Promise<number | undefined> {
    const reading = this.#read(results, minRows).finally(() => {
      this.#readingMore = undefined;
    });
    this.#readingMore = reading;
    return reading;
  }

  async #read(results: State["results"], minRows: number): Promise<number | undefined> {
    const { client, showErrors, screen } = this.#picker;
    const params = { view: results.view, next: results.next, minRows, quick: false };
    this.#endOfReading = new AbortController();
    const { signal } = this.#endOfReading;
    const reading = client.call("results", params, { signal }).catch((error) => {
      if (!signal.aborted) throw error;
    });
    const more = await showErrors(reading);
    if (this.#state.results !== results) return undefined;
    const known = new Set(results.rows.map(({ session }) => session.path));
    const added = more?.rows.filter(({ session }) => !known.has(session.path)) ?? [];
    if (more) this.#state.results = { ...results, rows: [...results.rows, ...added], next: more.next };
    screen.redrawNow();
    return added.length;
  }

  clearCompletions(): void {
    this.#state.completions = { from: 0, texts: [], taken: undefined };
  }

  async #lookUpCompletions(query: string): Promise<void> {
    const { client, showErrors, screen } = this.#picker;
    const found = await showErrors(client.call("completions", query));
    if (found && this.#state.view.query === query) {
      const isTyped = found.texts.length === 1 && query.slice(found.from) === found.texts[0];
      if (isTyped) this.clearCompletions();
      else this.#state.completions = { ...found, taken: undefined };
    }
    screen.redrawNow();
  }

  /** The query with its end completed; called again, with the next completion. Where a term may begin, lists the fields first. */
  complete(query: string): string {
    const { completions } = this.#state;
    const { from, texts, taken } = completions;
    if (texts.length === 0) {
      this.#completing.request(query);
      return query;
    }
    const next = taken === undefined ? 0 : (taken + 1) % texts.length;
    const completed = query.slice(0, from) + texts[next];
    this.setView({ query: completed });
    this.#state.completions = { ...completions, taken: next };
    if (texts.length === 1) {
      this.clearCompletions();
      // After a field name, completes its values next.
      if (completed.endsWith(":")) this.#completing.request(completed);
    }
    return completed;
  }
}
