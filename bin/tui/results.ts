/** What is listed: asked for as it is typed, and again when sessions change. */
import type { SyncProgress } from "../../index.ts";
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
  /** Whether somebody chose a row of this view. */
  #isChosen = false;
  #listedAt = 0;
  #isReadingMore = false;

  constructor(asker: Asker, state: State, told: Told) {
    this.#asker = asker;
    this.#state = state;
    this.#told = told;
    this.#finding = new Latest((wanted, signal) => this.#find(wanted, signal));
    this.#completing = new Latest((query) => this.#lookUpCompletions(query));
  }

  /** Asks for what is to be shown first: for what stands there already, in its order. */
  ask(): void {
    this.#ask(this.#state.view.query !== "");
  }

  /** Somebody chose a row: it stays chosen, wherever it comes to stand. */
  chosen(): void {
    this.#isChosen = true;
  }

  /** Looks for something else. */
  look(query: string): void {
    this.change({ query });
    this.#state.completions = { from: 0, texts: [], taken: undefined };
    if (COMPLETABLE.test(query)) this.#completing.ask(query);
  }

  /** Shows another view. */
  change(view: Partial<View>): void {
    this.#isChosen = false;
    this.#state.view = { ...this.#state.view, ...view };
    this.#ask(true);
  }

  /** Sessions may have changed: what is shown of them is asked for again. */
  again(): void {
    this.#listedAt = performance.now();
    this.#asker.changed();
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
    const part = (results: State["results"]) => {
      if (signal.aborted) return;
      this.#show(results, isNew);
      this.#told.redraw();
    };
    const atLeast = isNew ? 0 : this.#state.results.rows.length;
    try {
      const results = await this.#asker.ask("results", { view, quick, atLeast }, { part, signal });
      if (signal.aborted) return; // another view is asked for already
      this.#isNew = false;
      this.#state.isBehind = false;
      this.#show(results, isNew);
      if (quick && results.more) this.#refine();
    } catch (error) {
      if (signal.aborted) return;
      this.#state.isBehind = false;
      this.#told.failed(error);
    }
    this.#told.redraw();
  }

  #show(results: State["results"], isNew: boolean): void {
    const state = this.#state;
    const chosen = selectedRow(state)?.session.path;
    const goesFirst = isNew || (state.isSyncing && !this.#isChosen);
    const same = goesFirst ? 0 : results.rows.findIndex(({ session }) => session.path === chosen);
    const beside = same >= 0 ? same : state.selected; // what was chosen is gone: the next one is
    state.selected = Math.max(0, Math.min(beside, results.rows.length - 1));
    if (goesFirst) state.top = 0;
    state.results = results;
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
      const { rows, next } = await this.#asker.ask("results", {
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
      const { from, texts } = await this.#asker.ask("completions", { query, at: query.length });
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

/** The beginning of a field's name, or a field with the beginning of a value. */
const COMPLETABLE = /(?:^|[\s(])-?[a-z]{2,}(?::[^\s]*|:"[^"]*)?$/;
