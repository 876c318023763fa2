/** What is listed: asked for as it is typed, and again when sessions change. */
import type { SyncProgress } from "../../library/index.ts";
import { isCompletable } from "../format/query-words.ts";
import type { Asker } from "./asker.ts";
import { Latest } from "./latest.ts";
import { type State, selectedRow } from "./model/state.ts";
import type { View } from "./model/view.ts";

/** Who is told of what. */
export interface Told {
  /** There are other rows, or another one is chosen. */
  shown: () => void;
  redraw: () => void;
  failed: (error: unknown) => void;
}

/** How long a list stays as it is while an index is being built, in milliseconds. */
const AGAIN_EVERY_MS = 300;
/** Who types no key for so long waits for all that is found, in milliseconds. */
const REFINE_MS = 200;
/**
 * For how long after the session under the cursor became another by itself a key is taken to be meant for the one before, in
 * milliseconds: longer than it takes to see a row and press a key.
 */
const MOVED_MS = 1000;
/** Rows that are left below the chosen one when more are asked for. */
const NEAR_THE_END = 100;

interface Wanted {
  view: View;
  /** Whether it is another view, whose first row is to be chosen. */
  isNew: boolean;
  /** Whether somebody types, and waits for a frame at most. */
  quick: boolean;
}

export class Results {
  readonly #asker: Asker;
  readonly #state: State;
  readonly #told: Told;
  readonly #finding: Latest<Wanted>;
  #refining: NodeJS.Timeout | undefined;
  readonly #completing: Latest<string>;
  /** Whether another view is asked for, whose rows are not there yet. */
  #isNew = false;
  /**
   * Whether the first row is chosen, whichever comes to stand there: of a list that began empty, as the first index is built,
   * until a key is pressed. Else it would be the oldest session, which is indexed first.
   */
  #keepsFirst: boolean;
  /** The session that is to be chosen when it is listed next, in place of the one that is. */
  #toSelect: string | undefined;
  /** Whether it may do so without surprise: a session was changed here. */
  #mayMove = false;
  /** When the session under the cursor became another without a key. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #listedAt = 0;
  #isReadingMore = false;

  constructor(asker: Asker, state: State, told: Told) {
    this.#asker = asker;
    this.#state = state;
    this.#told = told;
    this.#keepsFirst = state.results.rows.length === 0;
    this.#finding = new Latest((wanted, signal) => this.#find(wanted, signal));
    this.#completing = new Latest((query) => this.#lookUpCompletions(query));
  }

  /** Asks for what is to be shown first: for what stands there already, in its order. */
  ask(): void {
    this.#ask(this.#state.view.query !== "");
  }

  /** A key was pressed: what is under the cursor stays so, wherever it comes to stand. */
  pressed(): void {
    this.#keepsFirst = false;
  }

  /** Whether the session under the cursor became another a moment ago, by itself: a key may be meant for the one before. */
  get hasJustMoved(): boolean {
    return performance.now() - this.#movedAt < MOVED_MS;
  }

  /** Looks for something else. */
  look(query: string): void {
    this.change({ query });
    this.#state.completions = { from: 0, texts: [], taken: undefined };
    if (isCompletable(query)) this.#completing.ask(query);
  }

  /** Shows another view. */
  change(view: Partial<View>): void {
    this.#state.view = { ...this.#state.view, ...view };
    this.#ask(true);
  }

  /**
   * Somebody changed a session here: what is shown is asked for again, and the cursor may move without surprising anybody.
   *
   * @param select the session that is to be chosen then, where it is listed
   */
  changedHere(select?: string): void {
    this.#toSelect = select;
    this.#mayMove = true;
    this.#movedAt = Number.NEGATIVE_INFINITY; // what was looked for meanwhile may have moved it already
    this.again();
  }

  /** Sessions may have changed: what is shown of them is asked for again. */
  again(): void {
    this.#listedAt = performance.now();
    void this.#asker.call("changed").catch(() => {}); // a host that is started instead remembers nothing
    this.#ask(false);
  }

  /** Whether what is shown is what is asked for, and not what was before it. */
  get isCurrent(): boolean {
    return JSON.stringify(this.#state.results.view) === JSON.stringify(this.#state.view);
  }

  indexing(progress: SyncProgress): void {
    this.#state.indexing = progress;
    if (performance.now() - this.#listedAt > AGAIN_EVERY_MS) this.again();
  }

  /** @param changed whether sessions did */
  indexed(changed: boolean): void {
    const { isSyncing } = this.#state;
    this.#state.indexing = undefined;
    this.#state.isSyncing = false;
    if (changed || isSyncing) this.again();
  }

  #ask(isNew: boolean): void {
    this.#state.isBehind = true;
    // A list that is asked for again while another view is on its way must not keep what was chosen before.
    this.#isNew ||= isNew;
    clearTimeout(this.#refining);
    this.#finding.ask({ view: this.#state.view, isNew: this.#isNew, quick: isNew });
  }

  /** Asks again for the same, with all the time it takes, once nobody types. */
  #refine(): void {
    clearTimeout(this.#refining);
    this.#refining = setTimeout(() => {
      this.#finding.ask({ view: this.#state.view, isNew: false, quick: false });
    }, REFINE_MS);
  }

  close(): void {
    clearTimeout(this.#refining);
  }

  async #find({ view, isNew, quick }: Wanted, signal: AbortSignal): Promise<void> {
    let goesFirst = isNew;
    const show = (results: State["results"]) => {
      this.#isNew = false;
      this.#show(results, goesFirst);
      goesFirst = false; // what comes after it is of the same view
    };
    const part = (results: State["results"]) => {
      if (signal.aborted) return;
      show(results);
      this.#told.redraw();
    };
    const atLeast = isNew ? 0 : this.#state.results.rows.length;
    try {
      const results = await this.#asker.call("results", { view, quick, atLeast }, { part, signal });
      if (signal.aborted) return; // another view is asked for already
      this.#state.isBehind = false;
      show(results);
      this.#mayMove = false;
      if (quick && results.more) this.#refine();
    } catch (error) {
      if (signal.aborted) return;
      this.#state.isBehind = false;
      this.#told.failed(error);
    }
    this.#told.redraw();
  }

  /** @param isNew whether it is another view, whose first row is to be chosen: else the session is that is chosen now */
  #show(results: State["results"], isNew: boolean): void {
    const state = this.#state;
    const isListed = results.rows.some(({ session }) => session.path === this.#toSelect);
    const chosen = isListed ? this.#toSelect : selectedRow(state)?.session.path;
    if (isListed || isNew) this.#toSelect = undefined;
    const goesFirst = isNew || (state.isSyncing && this.#keepsFirst);
    const same = goesFirst ? 0 : results.rows.findIndex(({ session }) => session.path === chosen);
    const beside = same >= 0 ? same : state.selected; // what was chosen is gone: the next one is
    state.selected = Math.max(0, Math.min(beside, results.rows.length - 1));
    if (goesFirst) state.top = 0;
    state.results = results;
    const isSame = isNew || chosen === undefined || selectedRow(state)?.session.path === chosen;
    if (!isSame && !this.#mayMove) this.#movedAt = performance.now();
    this.#told.shown();
  }

  /** Asks for more rows when the chosen one is near the last that is known. */
  readMore(): void {
    const { results, selected } = this.#state;
    if (results.next === undefined || this.#isReadingMore) return;
    if (selected < results.rows.length - NEAR_THE_END && results.rows.length > NEAR_THE_END) return;
    this.#isReadingMore = true;
    void this.#readMore(results).finally(() => {
      this.#isReadingMore = false;
    });
  }

  async #readMore(results: State["results"]): Promise<void> {
    try {
      const { rows, next } = await this.#asker.call("results", {
        view: results.view,
        next: results.next,
        atLeast: 0,
        quick: false,
      });
      if (this.#state.results !== results) return; // they are others by now
      this.#state.results = { ...results, rows: [...results.rows, ...rows], next };
    } catch (error) {
      this.#told.failed(error);
    }
    this.#told.redraw();
  }

  async #lookUpCompletions(query: string): Promise<void> {
    try {
      const { from, texts } = await this.#asker.call("completions", { query, at: query.length });
      if (this.#state.view.query === query) this.#state.completions = { from, texts, taken: undefined };
    } catch (error) {
      this.#told.failed(error);
    }
    this.#told.redraw();
  }

  /** The query with its end completed; once more, with the next of what could stand there. */
  complete(query: string): string {
    const { completions } = this.#state;
    const { from, texts, taken } = completions;
    if (texts.length === 0) return query;
    const next = taken === undefined ? 0 : (taken + 1) % texts.length;
    const completed = query.slice(0, from) + texts[next];
    this.change({ query: completed });
    this.#state.completions = { ...completions, taken: next };
    // A field is followed by a value of its: what could stand there comes next.
    if (texts.length === 1 && completed.endsWith(":")) this.#completing.ask(completed);
    return completed;
  }
}
