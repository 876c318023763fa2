/** The picker: changes the state on keys, and requests what it shows. */
import type { SyncMessage } from "../actions/sync-messages.ts";
import { formatErrorNotice } from "../format/error-notice.ts";
import { addTerm } from "../format/query-terms.ts";
import { filePattern } from "../format/query-words.ts";
import { formatCount } from "../format/safe.ts";
import { parseTypedQuery } from "../format/typed-query.ts";
import type { PickerContext, PickerOptions } from "./context.ts";
import { CANCELLED_EXIT_CODE } from "./early-keys.ts";
import { PROMPT } from "./first-frame.ts";
import { toFacetValues } from "./frames/facets-frame.ts";
import { drawFrame } from "./frames/frame.ts";
import { drawHelp } from "./frames/help.ts";
import { getHints, getWiderHints } from "./frames/hints.ts";
import { computeLayout, countBodyRows, type Size } from "./frames/layout.ts";
import { scrollToSelected, shortenPath } from "./frames/list-frame.ts";
import { previewTextSize } from "./frames/preview-frame.ts";
import type { ActionId } from "./keys/actions.ts";
import { formatRefusal, needsFiles } from "./keys/hub-refusal.ts";
import { type FacetsState, getSelectedRow, type State, type TreeState } from "./model/state.ts";
import { type ShownSession, SORTS, type View } from "./model/view.ts";
import { Preview } from "./preview.ts";
import type { Prompt } from "./prompt.ts";
import { ResultList } from "./result-list.ts";
import { Screen, TextLine } from "./screen.ts";
import { moveSelection } from "./scroll-position.ts";
import { assertResumable, SessionActions } from "./session-actions.ts";
import { TreeView } from "./tree.ts";

/** Result of the picker: a session to resume, or an exit code. */
export type PickerResult = { session: ShownSession } | { exit: number };

/** Delay between selecting a session and loading its preview, in milliseconds. */
const PREVIEW_DELAY_MS = 20;
/** The same while typing, when the next key is likely to select another session. */
const TYPING_PREVIEW_DELAY_MS = 150;
/** Lines by which a key scrolls the preview beside the list. */
const SCROLL_LINES = 3;

const NO_HITS = { hits: [], hitCount: 0 };

type Handlers = Partial<Record<ActionId, () => void>>;

export class Picker {
  readonly #options: PickerOptions;
  readonly #state: State;
  readonly #screen: Screen;
  readonly #query: TextLine;
  readonly #results: ResultList;
  readonly #preview: Preview;
  readonly #tree: TreeView;
  readonly #actions: SessionActions;
  readonly #ending = Promise.withResolvers<PickerResult>();
  /** Called on every key. */
  onPress: () => void = () => {};
  /** The prompt in the last line. */
  #prompt: Prompt | undefined;
  /** Keys pressed while a prompt is being prepared: they go to the prompt, not to the list. */
  #typedAhead: string[] | undefined;
  #previewTimer: NodeJS.Timeout | undefined;
  /** Whether to resume the first session of the next results. */
  #resumesNext = false;

  constructor(options: PickerOptions) {
    const { state, notices } = options;
    this.#options = options;
    this.#state = state;
    this.#screen = new Screen({
      draw: (size) => this.#draw(size),
      onKey: (data) => this.#press(data),
      onSignal: (exit) => this.#ending.resolve({ exit }),
      onError: (error) => this.#ending.reject(error),
    });
    this.#query = new TextLine(PROMPT, state.view.query);
    const context: PickerContext = {
      ...options,
      screen: this.#screen,
      showMessage: (text) => this.#say(text, false),
      showError: (error) => this.#sayError(error),
      showErrors: (work) => this.#try(work),
      openPrompt: (prompt) => {
        this.#prompt = prompt;
      },
      openPromptWhenReady: (work) => this.#askOnce(work),
      reload: (select) => this.#changed(select),
      onRowsChanged: () => this.#shown(),
    };
    this.#results = new ResultList(context);
    this.#preview = new Preview(context);
    this.#tree = new TreeView(context);
    this.#actions = new SessionActions(context);
    const [first, ...more] = notices;
    if (first) this.#say(`${shortenPath(first)}${more.length > 0 ? ` (and ${more.length} more)` : ""}`, true);
  }

  /** Runs until the user selects a session or quits. */
  async run(): Promise<PickerResult> {
    this.#screen.open();
    // First, because the first rows are on the screen already.
    const row = getSelectedRow(this.#state);
    if (row && this.#hasPreview) this.#read(row.session);
    this.#results.load();
    try {
      return await this.#ending.promise;
    } finally {
      clearTimeout(this.#previewTimer);
      this.#results.close();
      this.#screen.close();
    }
  }

  /** Handles results, progress and notices of syncs. */
  onSyncMessage(message: SyncMessage): void {
    if ("notice" in message) {
      this.#say(message.notice, true);
      this.#state.isSyncing = false;
    } else if ("progress" in message) this.#results.onProgress(message.progress);
    else {
      this.#results.onSynced(message.synced.changed);
      if (message.synced.changed) this.#preview.reload();
      if (message.synced.busy)
        this.#say(
          `another pidex process is indexing: ${formatCount(message.synced.behind, "file")} may be out of date`,
          false,
        );
    }
    this.#screen.redraw();
  }

  #draw(size: Size): string[] {
    const { theme, settings, keys, hub, settingsPath } = this.#options;
    const state = this.#state;
    const prompt = this.#prompt;
    state.top = scrollToSelected(state, computeLayout(size, settings.preview).list.rows);
    state.newAbove = Math.min(state.newAbove, state.top);
    this.#tree.update(countBodyRows(size));
    const screen = { ...size, theme };
    return drawFrame(state, screen, settings.preview, {
      input: (columns) => this.#query.draw(columns, !prompt?.hasCursor),
      prompt: prompt && ((columns) => prompt.draw(columns, theme)),
      // While other results are loading, the previewed session may not be the selected one.
      preview: state.mode === "list" && !getSelectedRow(state) ? undefined : this.#preview,
      hints: getHints(keys, state.mode, this.#options),
      widerHints: getWiderHints(keys, state.view, hub !== undefined),
      help: state.help && drawHelp(keys, state.mode, screen, settingsPath),
    });
  }

  #press(data: string): void {
    this.onPress();
    if (this.#options.keys.isQuitKey(data)) {
      this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
      return;
    }
    if (this.#typedAhead) {
      this.#typedAhead.push(data);
      return;
    }
    const state = this.#state;
    state.message = undefined;
    this.#results.onKey();
    this.#resumesNext = false;
    const action = this.#options.keys.getAction(data, state.mode, this.#query.text !== "");
    const prompt = this.#prompt;
    if (prompt) {
      if (prompt.press(data) && this.#prompt === prompt) this.#prompt = undefined;
    } else if (action === "cancel" && !state.help) this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
    else if (state.help) this.#pressHelp(action);
    else if (action === "help") state.help = { top: 0 };
    else if (action === "back") state.mode = "list";
    else if (action) this.#run(action);
    else if (state.mode === "list") this.#type(data);
  }

  async #askOnce(work: Promise<Prompt>): Promise<void> {
    this.#typedAhead = [];
    const prompt = await this.#try(work);
    const keys = this.#typedAhead;
    this.#typedAhead = undefined;
    this.#prompt = prompt;
    if (prompt) for (const key of keys) this.#press(key);
    this.#screen.redraw();
  }

  #pressHelp(action: ActionId | undefined): void {
    const help = this.#state.help ?? { top: 0 };
    const { size } = this.#screen;
    const rows = countBodyRows(size);
    const { keys, theme, settingsPath } = this.#options;
    const count = drawHelp(keys, this.#state.mode, { ...size, theme }, settingsPath).length;
    const top = moveSelection(action ?? "", help.top, Math.max(1, count - rows + 1), rows);
    this.#state.help = top === undefined ? undefined : { top };
  }

  #type(data: string): void {
    const before = this.#query.text;
    this.#query.press(data);
    if (this.#query.text !== before) this.#results.setQuery(this.#query.text);
  }

  #run(action: ActionId): void {
    const { mode, tree, facets } = this.#state;
    const { hub } = this.#options;
    if (hub && needsFiles(action)) {
      this.#say(formatRefusal(action, getSelectedRow(this.#state)?.session, hub), true);
    } else if (mode === "list") this.#inList(action);
    else if (mode === "preview") this.#inPreview(action);
    else if (mode === "tree" && tree) this.#inTree(tree, action);
    else if (facets) this.#inFacets(facets, action);
  }

  #inList(action: ActionId): void {
    const state = this.#state;
    const { view, results } = state;
    const page = Math.max(1, computeLayout(this.#screen.size, this.#options.settings.preview).list.rows - 1);
    const to = moveSelection(action, state.selected, results.rows.length, page);
    const change = (changed: Partial<View>) => this.#results.setView(changed);
    const handlers: Handlers = {
      scope: () => change({ cwd: view.cwd === undefined ? this.#options.cwd : undefined }),
      sort: () => change({ sort: SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] ?? "newest" }),
      named: () => change({ named: !view.named }),
      archived: () => change({ archived: !view.archived }),
      subagents: () => change({ subagents: !view.subagents }),
      path: () => {
        state.showsPaths = !state.showsPaths;
      },
      complete: () => {
        this.#query.text = this.#results.complete(this.#query.text);
      },
      facets: () => void this.#openFacets(),
      scan: () => this.#scan(),
      undo: () => this.#actions.undo(),
    };
    const row = getSelectedRow(state);
    if (to !== undefined) this.#select(to);
    else if (handlers[action]) handlers[action]();
    else if (row && this.#results.hasJustMoved) this.#say("the list changed; press the key again", true);
    else if (row) this.#runOn(action, row.session);
  }

  /** Turns the query into a pattern that is searched in the files themselves, which also finds text that is not indexed. */
  #scan(): void {
    const { text } = this.#query;
    if (text.trim() === "" || parseTypedQuery(text).by === "pattern") return;
    this.#query.text = filePattern(text);
    this.#results.setQuery(this.#query.text);
  }

  /** Runs an action on a session. */
  #runOn(action: ActionId, session: ShownSession): void {
    const state = this.#state;
    const walk = (by: 1 | -1) => {
      this.#read(session);
      void this.#preview.goToHit(by);
    };
    const hit = getSelectedRow(state)?.hits[0];
    const handlers: Handlers = {
      resume: () => this.#resume(session),
      label: () =>
        this.#actions.label(session, state.mode === "preview" ? this.#preview.entryLine : hit?.line),
      preview: () => {
        state.mode = "preview";
        this.#read(session);
      },
      tree: () => void this.#openTree(session),
      previewUp: () => this.#preview.scroll(-SCROLL_LINES),
      previewDown: () => this.#preview.scroll(SCROLL_LINES),
      nextHit: () => walk(1),
      previousHit: () => walk(-1),
      copy: () => this.#actions.copy(session),
      browser: () => this.#actions.openInBrowser(session),
      pin: () => this.#actions.pin(session),
      rename: () => this.#actions.rename(session),
      delete: () => this.#actions.delete(session),
    };
    handlers[action]?.();
  }

  #inPreview(action: ActionId): void {
    const preview = this.#preview;
    const page = Math.max(1, countBodyRows(this.#screen.size) - 1);
    const handlers: Handlers = {
      up: () => preview.scroll(-1),
      down: () => preview.scroll(1),
      pageUp: () => preview.scroll(-page),
      pageDown: () => preview.scroll(page),
      first: () => preview.first(),
      last: () => preview.last(),
      unfold: () => preview.toggleExpanded(),
      branch: () => preview.toggleBranches(),
    };
    if (handlers[action]) handlers[action]();
    else if (preview.session) this.#runOn(action, preview.session);
  }

  #inTree(tree: TreeState, action: ActionId): void {
    const line = this.#tree.selected?.line;
    if (this.#tree.move(action, countBodyRows(this.#screen.size))) return;
    if (action === "all") void this.#try(this.#tree.reload(!tree.all));
    else if (action === "label" && line !== undefined) void this.#actions.label(tree.session, line);
    else if (action === "open" && line !== undefined) {
      this.#state.mode = "preview";
      this.#setPane(tree.session);
      this.#preview.show(tree.session, this.#state.view, NO_HITS, line);
    }
  }

  #inFacets(facets: FacetsState, action: ActionId): void {
    const values = toFacetValues(facets.groups);
    const to = moveSelection(action, facets.selected, values.length, countBodyRows(this.#screen.size));
    const chosen = values[facets.selected];
    if (to !== undefined) facets.selected = to;
    else if (action === "choose") {
      if (chosen) this.#query.text = `${addTerm(this.#query.text.trim(), chosen.term)} `;
      this.#state.mode = "list";
      this.#results.setQuery(this.#query.text);
    }
  }

  #select(to: number): void {
    this.#state.selected = to;
    this.#results.loadMore();
    this.#previewLater(PREVIEW_DELAY_MS);
  }

  /** Previews the selected session after a delay, if previews are shown beside the list. */
  #previewLater(ms: number): void {
    clearTimeout(this.#previewTimer);
    if (!this.#hasPreview) return;
    this.#previewTimer = setTimeout(() => {
      const row = getSelectedRow(this.#state);
      if (row && this.#state.mode === "list") this.#read(row.session);
      this.#screen.redraw();
    }, ms);
  }

  get #hasPreview(): boolean {
    return computeLayout(this.#screen.size, this.#options.settings.preview).preview !== undefined;
  }

  #read(session: ShownSession): void {
    const row = getSelectedRow(this.#state);
    this.#setPane(session);
    this.#preview.show(session, this.#state.results.view, row?.session === session ? row : NO_HITS);
  }

  /** Prepares the preview for where it will be drawn. */
  #setPane(session: ShownSession): void {
    const { size } = this.#screen;
    const { preview } = computeLayout(size, this.#options.settings.preview);
    const isInList = this.#state.mode === "list";
    const whole = { columns: size.columns, rows: countBodyRows(size) };
    this.#preview.setPane(isInList && preview ? previewTextSize(session, preview) : whole, isInList);
  }

  async #openTree(session: ShownSession): Promise<void> {
    const line = this.#state.mode === "preview" ? this.#preview.entryLine : undefined;
    await this.#try(this.#tree.open(session, line ?? getSelectedRow(this.#state)?.hits[0]?.line));
    if (this.#state.tree?.session === session) this.#state.mode = "tree";
    this.#screen.redraw();
  }

  async #openFacets(): Promise<void> {
    const groups = await this.#try(this.#options.client.call("facets", this.#state.view));
    if (groups) {
      this.#state.facets = { groups, selected: 0 };
      this.#state.mode = "facets";
    }
    this.#screen.redraw();
  }

  /** Enter right after typing means the results of that query, not those still shown: waits for them. */
  #resume(session: ShownSession): void {
    this.#resumesNext = this.#state.mode === "list" && !this.#results.isCurrent;
    if (!this.#resumesNext) void this.#choose(session);
  }

  #shown(): void {
    this.#previewLater(TYPING_PREVIEW_DELAY_MS);
    const row = getSelectedRow(this.#state);
    if (!this.#resumesNext || !this.#results.isCurrent) return;
    this.#resumesNext = false;
    if (row) void this.#choose(row.session);
  }

  async #choose(session: ShownSession): Promise<void> {
    const { printsSelection, env } = this.#options;
    try {
      const resumed = printsSelection ? session : await this.#actions.locate(session);
      if (!printsSelection) await assertResumable(resumed, env);
      this.#ending.resolve({ session: resumed });
    } catch (error) {
      this.#sayError(error);
    }
  }

  /** Reloads what is shown after a session was changed or deleted here. */
  async #changed(select?: string): Promise<void> {
    this.#results.reloadAfterChange(select);
    this.#preview.reload();
    if (this.#state.mode === "tree") await this.#try(this.#tree.reload());
  }

  /** Awaits work; shows the error if it fails. */
  async #try<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.#sayError(error);
      this.#screen.redraw();
      return undefined;
    }
  }

  #sayError(error: unknown): void {
    this.#say(formatErrorNotice(error), true);
  }

  #say(text: string, isError: boolean): void {
    this.#state.message = { text, isError };
  }
}
