/** The picker: changes the state on keys, and requests what it shows. */
import type { SyncMessage } from "../actions/sync-messages.ts";
import { formatErrorNotice } from "../format/error-notice.ts";
import { formatCount } from "../format/safe.ts";
import { needsBackground, toBackground } from "../format/themes.ts";
import type { PickerContext, PickerOptions } from "./context.ts";
import { CANCELLED_EXIT_CODE } from "./early-keys.ts";
import { PROMPT } from "./first-frame.ts";
import { wrapLongNotice } from "./frames/footer.ts";
import { drawFrame } from "./frames/frame.ts";
import { getHelpHint, getHints, getWiderHints, HELP_HINTS } from "./frames/hints.ts";
import { computeLayout, countBodyRows, type Size } from "./frames/layout.ts";
import { findEnd, scrollToSelected } from "./frames/list-frame.ts";
import { shortenPath } from "./frames/paths.ts";
import type { ActionId } from "./keys/actions.ts";
import { formatRefusal, needsFiles } from "./keys/hub-refusal.ts";
import type { ListFilter } from "./list-filter.ts";
import { getSelectedRow, isSavedSearchSelected, type State } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import { createParts, type Parts } from "./parts.ts";
import type { Prompt } from "./prompt.ts";
import { type MouseEvent, Screen, type ScreenContent, TextLine } from "./screen.ts";
import { ViewTrail } from "./view-trail.ts";

/** Result of the picker: the session to resume, or the sessions to print, or an exit code. */
export type PickerResult = { sessions: readonly ShownSession[] } | { exit: number };

export class Picker {
  readonly #options: PickerOptions;
  readonly #state: State;
  readonly #screen: Screen;
  readonly #query: TextLine;
  readonly #views: ViewTrail;
  readonly #parts: Parts;
  readonly #ending = Promise.withResolvers<PickerResult>();
  #lastFrame: { size: Size; lines: string[] } | undefined;
  /** Called on every key. */
  onPress: () => void = () => {};
  /** The prompt in the last line. */
  #prompt: Prompt | undefined;
  /** Keys pressed while a prompt is being prepared: they go to the prompt, not to the list. */
  readonly #typedAhead: string[] = [];
  /** Number of pieces of work that keys are kept for. */
  #holds = 0;
  /** Whether the last key hid a message: then Esc does not quit too. */
  #hidMessage = false;
  /** Whether the kept keys are handled even if no prompt opens. */
  #replaysKeys = false;

  constructor(options: PickerOptions) {
    const { state, notices } = options;
    this.#options = options;
    this.#state = state;
    this.#screen = new Screen(this.#content, options.settings.mouse);
    this.#query = new TextLine(PROMPT, state.view.query);
    this.#views = new ViewTrail(state);
    this.#parts = createParts(this.#context, {
      perform: (action) => this.#perform(action),
      choose: (sessions) => this.#ending.resolve({ sessions }),
    });
    const [first, ...more] = notices;
    if (first) this.#say(`${shortenPath(first)}${more.length > 0 ? ` (and ${more.length} more)` : ""}`, true);
  }

  /** What the terminal draws, and calls. */
  get #content(): ScreenContent {
    return {
      draw: (size) => this.#draw(size),
      onKey: (data) => this.#press(data),
      onMouse: (event) => this.#onMouse(event),
      onBackground: (color) => {
        this.#state.look = { ...this.#state.look, background: toBackground(color) };
      },
      onSignal: (exit) => this.#ending.resolve({ exit }),
      onError: (error) => this.#ending.reject(error),
    };
  }

  get #context(): PickerContext {
    return {
      ...this.#options,
      screen: this.#screen,
      views: this.#views,
      query: this.#query,
      setQuery: (text) => this.#setQuery(text),
      showMessage: (text, end) => {
        this.#state.message = { text, end, isError: false };
      },
      showErrorText: (text) => this.#say(text, true),
      showError: (error) => this.#say(formatErrorNotice(error), true),
      showErrors: (work) => this.#try(work),
      openPrompt: (prompt) => {
        this.#prompt = prompt;
      },
      openPromptWhenReady: (work) => this.#openWhenReady(work),
      holdKeys: (work, options) => this.#holdKeys(work, options),
      reload: (select) => this.#changed(select),
      hideRows: (paths) => this.#parts.results.hide(paths),
      onRowsChanged: () => {
        this.#parts.selectedPreview.loadLater({ isTyping: true });
        this.#parts.list.onRowsChanged();
      },
    };
  }

  /** Runs until the user selects a session or quits. */
  async run(): Promise<PickerResult> {
    this.#screen.open();
    if (needsBackground(this.#state.look)) this.#screen.askBackground();
    this.#parts.selectedPreview.load(); // first, because the first rows are on the screen already
    this.#parts.results.load();
    try {
      return await this.#ending.promise;
    } finally {
      this.#parts.selectedPreview.close();
      this.#parts.results.close();
      this.#screen.close();
    }
  }

  /** Handles results, progress and notices of syncs. */
  onSyncMessage(message: SyncMessage): void {
    if ("notice" in message) {
      this.#say(message.notice, true);
      this.#state.isSyncing = false;
    } else if ("progress" in message) this.#parts.results.onProgress(message.progress);
    else {
      this.#parts.results.onSynced(message.synced.changed || message.synced.busy);
      if (message.synced.changed) this.#parts.preview.reload();
      if (message.synced.busy && message.synced.behind > 0)
        this.#say(
          `another pidex process is indexing: ${formatCount(message.synced.behind, "file")} may be out of date`,
          false,
        );
    }
    this.#screen.redraw();
  }

  /** Draws a frame; while the reader waits for its first lines, the frame before, so that the screen is never blank. */
  #draw(size: Size): string[] {
    const lines = this.#drawNow(size);
    const { mode, help, message } = this.#state;
    const before = this.#lastFrame;
    const isWaiting =
      mode === "preview" && this.#parts.preview.isLoading && !help && !message && !this.#prompt;
    if (isWaiting && before?.size.columns === size.columns && before.size.rows === size.rows)
      return before.lines;
    this.#lastFrame = { size, lines };
    return lines;
  }

  #drawNow(size: Size): string[] {
    const { theme, settings, keys, hub } = this.#options;
    const state = this.#state;
    const prompt = this.#prompt;
    const { list } = computeLayout(size, settings.preview, wrapLongNotice(state, size).length);
    state.top = scrollToSelected(state, list.rows);
    if (findEnd(state.results.rows, state.top, list.rows) === state.results.rows.length)
      this.#parts.results.loadMore(); // the terminal may have grown
    state.newAbove = Math.min(state.newAbove, state.top);
    this.#parts.tree.update(countBodyRows(size));
    const screen = { ...size, theme };
    return drawFrame(state, screen, settings.preview, {
      input: (columns) => this.#input.draw(columns, !prompt?.hasCursor),
      prompt: prompt && ((columns) => prompt.draw(columns, theme)),
      // While other results are loading, the previewed session may not be the selected one.
      preview: state.mode === "list" && !getSelectedRow(state) ? undefined : this.#parts.preview,
      hints: state.help
        ? HELP_HINTS
        : getHints(keys, state.mode, {
            ...this.#options,
            hasMarks: state.marked.size > 0,
            hasHits: this.#parts.preview.hasHits,
            isExpanded: this.#parts.preview.isExpanded,
            hasCompletions: state.completions.texts.length > 0,
            isSavedSearch: isSavedSearchSelected(state),
            hasFilter: ["facets", "palette"].includes(state.mode) && this.#isTyped,
          }),
      lastHint: state.help ? undefined : getHelpHint(keys, state.mode, this.#isTyped),
      widerHints: getWiderHints(keys, state.view, {
        isHub: hub !== undefined,
        excluded: state.results.excluded,
      }),
      help: state.help && this.#parts.help.draw(),
    });
  }

  #press(data: string): void {
    this.onPress();
    if (this.#options.keys.isQuitKey(data)) {
      this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
      return;
    }
    const state = this.#state;
    if (this.#holds > 0) {
      const isBack = this.#options.keys.getAction(data, state.mode, this.#isTyped) === "back";
      if (!isBack || !this.#parts.list.cancelWaiting()) this.#typedAhead.push(data);
      return;
    }
    this.#hidMessage = state.message !== undefined;
    state.message = undefined;
    this.#parts.results.onKey();
    this.#parts.facets.onKey();
    const action = this.#options.keys.getAction(data, state.mode, this.#isTyped);
    const prompt = this.#prompt;
    if (prompt) {
      if (prompt.press(data) && this.#prompt === prompt) this.#prompt = undefined;
    } else if (state.help) this.#pressHelp(data, action);
    else if (action) this.#perform(action);
    else if (state.mode === "list") this.#type(data);
    else if (state.mode !== "palette" || !this.#parts.palette.runKey(data)) this.#filter?.press(data);
  }

  /** The wheel scrolls or moves the selection; a click selects. */
  #onMouse(event: MouseEvent): void {
    this.onPress();
    if (this.#prompt || this.#holds > 0) return;
    this.#parts.results.onKey();
    this.#parts.mouse.handle(event);
  }

  #perform(action: ActionId): void {
    if (action === "cancel") this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
    else if (action === "help") this.#state.help = { top: 0 };
    else if (action === "back") this.#goBack();
    else if (action === "palette") this.#parts.palette.open();
    else this.#run(action);
  }

  /** What filters the current view as the user types, in place of the query. */
  get #filter(): Pick<ListFilter<unknown>, "isEmpty" | "press" | "clear" | "draw"> | undefined {
    const { mode } = this.#state;
    return mode === "facets" || mode === "palette" ? this.#parts[mode].filter : undefined;
  }

  /** The line below the heading: the query, or the filter of the view. */
  get #input(): { draw(columns: number, hasCursor: boolean): string } {
    return this.#filter ?? this.#query;
  }

  /** Whether something is typed in the view, so that letters and punctuation run no actions. */
  get #isTyped(): boolean {
    return !(this.#filter?.isEmpty ?? this.#query.text === "");
  }

  #openWhenReady(work: Promise<Prompt | undefined>): Promise<void> {
    const opening = this.#try(work).then((prompt) => {
      this.#prompt = prompt;
    });
    return this.#holdKeys(opening);
  }

  async #holdKeys(work: Promise<unknown>, { replays = false } = {}): Promise<void> {
    this.#holds++;
    this.#replaysKeys ||= replays;
    await work.finally(() => this.#holds--);
    if (this.#holds > 0) return;
    const keys = this.#typedAhead.splice(0);
    const areHandled = this.#replaysKeys || this.#prompt !== undefined;
    this.#replaysKeys = false;
    if (areHandled) for (const key of keys) this.#press(key);
    this.#screen.redraw();
  }

  /**
   * One step back: clears the filter of the view, or ends the search in the session, or else shows the view before. In the list, hides the
   * fields, or clears the marks, or else the query, or else the message, or else quits.
   */
  #goBack(): void {
    if (this.#filter?.isEmpty === false) this.#filter.clear();
    else if (this.#state.mode === "preview" && this.#parts.preview.endFind()) return;
    else if (this.#state.mode !== "list") {
      if (this.#state.mode === "facets") this.#parts.facets.cancel();
      this.#views.back();
    } else if (this.#query.text === "" && this.#state.completions.texts.length > 0)
      this.#parts.results.clearCompletions();
    else if (!this.#parts.marks.isEmpty) this.#parts.marks.clear();
    else if (this.#query.text !== "") {
      this.#parts.queries.remember(this.#query.text);
      this.#setQuery("");
    } else if (!this.#hidMessage) this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
  }

  #setQuery(text: string): void {
    this.#query.text = text;
    this.#parts.results.setQuery(text);
  }

  #pressHelp(data: string, action: ActionId | undefined): void {
    if (action === "palette") this.#parts.palette.open();
    else this.#parts.help.press(data, action);
  }

  #type(data: string): void {
    const before = this.#query.text;
    this.#query.press(data);
    if (this.#query.text !== before) this.#parts.results.setQuery(this.#query.text);
  }

  #run(action: ActionId): void {
    const { mode, tree, facets, palette } = this.#state;
    const { hub } = this.#options;
    if (hub && needsFiles(action)) {
      this.#say(formatRefusal(action, getSelectedRow(this.#state)?.session, hub), true);
    } else if (mode === "list") this.#parts.list.run(action);
    else if (mode === "preview") this.#parts.reader.run(action);
    else if (mode === "tree" && tree) this.#parts.tree.run(tree, action);
    else if (mode === "facets" && facets) this.#parts.facets.run(facets, action);
    else if (palette) this.#parts.palette.run(palette, action);
  }

  /** Reloads what is shown after a session was changed or deleted here. */
  async #changed(select?: string): Promise<void> {
    // Keys typed ahead are meant for the row that was selected when they were typed.
    const listed = this.#parts.results.reloadAfterChange(this.#typedAhead.length > 0 ? undefined : select);
    this.#parts.preview.reload();
    if (this.#state.mode === "tree") await this.#try(this.#parts.tree.reload());
    await listed;
  }

  /** Awaits work; shows the error if it fails. */
  async #try<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#say(formatErrorNotice(error), true);
      this.#screen.redraw();
      return undefined;
    }
  }

  #say(text: string, isError: boolean): void {
    this.#state.message = { text, isError };
  }
}
