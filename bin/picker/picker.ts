/** The picker: changes the state on keys, and requests what it shows. */
import { PidexError } from "../../library/index.ts";
import type { SyncMessage } from "../actions/sync-messages.ts";
import { formatErrorNotice } from "../format/error-notice.ts";
import { addTerm } from "../format/query-terms.ts";
import { filePattern } from "../format/query-words.ts";
import { formatCount } from "../format/safe.ts";
import { measureWidth, truncateStart } from "../format/text.ts";
import { needsBackground, THEMES, type ThemeName, toBackground } from "../format/themes.ts";
import { parseTypedQuery } from "../format/typed-query.ts";
import type { PickerContext, PickerOptions } from "./context.ts";
import { CANCELLED_EXIT_CODE } from "./early-keys.ts";
import { PROMPT } from "./first-frame.ts";
import { toFacetValues } from "./frames/facets-frame.ts";
import { drawFrame } from "./frames/frame.ts";
import { getHelpHint, getHints, getWiderHints } from "./frames/hints.ts";
import { computeLayout, countBodyRows, type Size } from "./frames/layout.ts";
import { scrollToSelected, shortenPath } from "./frames/list-frame.ts";
import { previewTextSize } from "./frames/preview-frame.ts";
import { HelpView } from "./help-view.ts";
import type { ActionId, Mode } from "./keys/actions.ts";
import { formatRefusal, needsFiles } from "./keys/hub-refusal.ts";
import { formatKey } from "./keys/key-names.ts";
import { locateSession } from "./locate-session.ts";
import type { PaletteItem } from "./model/palette-item.ts";
import {
  type FacetsState,
  getSelectedRow,
  type PaletteState,
  type State,
  type TreeState,
} from "./model/state.ts";
import { type ShownSession, SORTS, type View } from "./model/view.ts";
import { Mouse } from "./mouse.ts";
import { Palette } from "./palette.ts";
import { Preview } from "./preview.ts";
import { type Prompt, textPrompt } from "./prompt.ts";
import { QueryActions } from "./query-actions.ts";
import { ResultList } from "./result-list.ts";
import { type MouseEvent, Screen, type ScreenContent, TextLine } from "./screen.ts";
import { moveSelection } from "./scroll-position.ts";
import { assertResumable, SessionActions } from "./session-actions.ts";
import { SessionOutput } from "./session-output.ts";
import { TreeView } from "./tree.ts";

/** Result of the picker: the session to resume, or the sessions to print, or an exit code. */
export type PickerResult = { sessions: readonly ShownSession[] } | { exit: number };

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
  readonly #palette: Palette;
  readonly #help: HelpView;
  readonly #mouse: Mouse;
  readonly #actions: SessionActions;
  readonly #output: SessionOutput;
  readonly #queries: QueryActions;
  readonly #ending = Promise.withResolvers<PickerResult>();
  /** Called on every key. */
  onPress: () => void = () => {};
  /** The views that `#goBack` returns to, last one first; empty in the list. */
  #trail: readonly Mode[] = [];
  /** The prompt in the last line. */
  #prompt: Prompt | undefined;
  /** Keys pressed while a prompt is being prepared: they go to the prompt, not to the list. */
  #typedAhead: string[] | undefined;
  /** The text last searched for in a session. */
  #found = "";
  #previewTimer: NodeJS.Timeout | undefined;
  /** Whether to resume the first session of the next results. */
  #resumesNext = false;

  constructor(options: PickerOptions) {
    const { state, notices } = options;
    this.#options = options;
    this.#state = state;
    const content: ScreenContent = {
      draw: (size) => this.#draw(size),
      onKey: (data) => this.#press(data),
      onMouse: (event) => this.#onMouse(event),
      onBackground: (color) => {
        options.state.look = { ...options.state.look, background: toBackground(color) };
      },
      onSignal: (exit) => this.#ending.resolve({ exit }),
      onError: (error) => this.#ending.reject(error),
    };
    this.#screen = new Screen(content, options.settings.mouse);
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
    this.#palette = new Palette(context);
    this.#help = new HelpView(context);
    this.#mouse = new Mouse(context, {
      selectRow: (index) => this.#select(index),
      scroll: (by) => (state.help ? this.#help : this.#preview).scroll(by),
    });
    this.#actions = new SessionActions(context);
    this.#output = new SessionOutput(context);
    this.#queries = new QueryActions(context);
    const [first, ...more] = notices;
    if (first) this.#say(`${shortenPath(first)}${more.length > 0 ? ` (and ${more.length} more)` : ""}`, true);
  }

  /** Runs until the user selects a session or quits. */
  async run(): Promise<PickerResult> {
    this.#screen.open();
    if (needsBackground(this.#state.look)) this.#screen.askBackground();
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
    const { theme, settings, keys, hub } = this.#options;
    const state = this.#state;
    const prompt = this.#prompt;
    state.top = scrollToSelected(state, computeLayout(size, settings.preview).list.rows);
    state.newAbove = Math.min(state.newAbove, state.top);
    this.#tree.update(countBodyRows(size));
    const screen = { ...size, theme };
    return drawFrame(state, screen, settings.preview, {
      input: (columns) => this.#input.draw(columns, !prompt?.hasCursor),
      prompt: prompt && ((columns) => prompt.draw(columns, theme)),
      // While other results are loading, the previewed session may not be the selected one.
      preview: state.mode === "list" && !getSelectedRow(state) ? undefined : this.#preview,
      hints: getHints(keys, state.mode, { ...this.#options, hasMarks: state.marked.size > 0 }),
      lastHint: getHelpHint(keys, state.mode, this.#isTyped),
      widerHints: getWiderHints(keys, state.view, hub !== undefined),
      help: state.help && this.#help.draw(),
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
    const action = this.#options.keys.getAction(data, state.mode, this.#isTyped);
    const prompt = this.#prompt;
    if (prompt) {
      if (prompt.press(data) && this.#prompt === prompt) this.#prompt = undefined;
    } else if (state.help) this.#pressHelp(action);
    else if (action) this.#perform(action);
    else if (state.mode === "list") this.#type(data);
    else if (state.mode === "palette") this.#palette.press(data);
  }

  /** The wheel scrolls or moves the selection; a click selects. */
  #onMouse(event: MouseEvent): void {
    this.onPress();
    if (this.#prompt || this.#typedAhead) return;
    this.#results.onKey();
    this.#mouse.handle(event);
  }

  #perform(action: ActionId): void {
    if (action === "cancel") this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
    else if (action === "help") this.#state.help = { top: 0 };
    else if (action === "back") this.#goBack();
    else if (action === "palette") this.#openPalette();
    else this.#run(action);
  }

  /** The line below the heading: the query, or the filter of the palette. */
  get #input(): { draw(columns: number, hasCursor: boolean): string } {
    return this.#state.mode === "palette" ? this.#palette : this.#query;
  }

  /** Whether something is typed in the view, so that letters and punctuation run no actions. */
  get #isTyped(): boolean {
    return this.#state.mode === "palette" ? !this.#palette.isEmpty : this.#query.text !== "";
  }

  #openPalette(): void {
    this.#state.help = undefined;
    const themes = THEMES.map((theme): PaletteItem => {
      return { label: `theme: ${theme}`, keys: "", command: { theme } };
    });
    this.#palette.open(this.#state.mode, [...this.#queries.items, ...themes]);
    this.#open("palette");
  }

  #inPalette(palette: PaletteState, action: ActionId): void {
    if (this.#palette.move(palette, action, countBodyRows(this.#screen.size)) || action !== "run") return;
    const command = palette.items[palette.selected]?.command;
    if (!command) return;
    this.#goBack();
    if ("action" in command) this.#perform(command.action);
    else if ("theme" in command) this.#setTheme(command.theme);
    else {
      this.#trail = [];
      this.#state.mode = "list";
      this.#setQuery(command.query);
    }
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

  /**
   * Shows another view; `#goBack` returns to the one before.
   *
   * @param trail where the user was when a view was requested that had to be loaded
   */
  #open(mode: Mode, trail: readonly Mode[] = this.#path): void {
    const before = trail.indexOf(mode);
    this.#trail = before >= 0 ? trail.slice(0, before) : trail;
    this.#state.mode = mode;
  }

  /** The views that the user came through, and the current one. */
  get #path(): Mode[] {
    return [...this.#trail, this.#state.mode];
  }

  /** One step back: to the view before, or in the list, clears the marks, or else the query, or else quits. */
  #goBack(): void {
    const state = this.#state;
    if (state.mode !== "list") {
      state.mode = this.#trail.at(-1) ?? "list";
      this.#trail = this.#trail.slice(0, -1);
    } else if (state.marked.size > 0) state.marked = new Map();
    else if (this.#query.text !== "") {
      this.#queries.remember(this.#query.text);
      this.#setQuery("");
    } else this.#ending.resolve({ exit: CANCELLED_EXIT_CODE });
  }

  #setQuery(text: string): void {
    this.#query.text = text;
    this.#results.setQuery(text);
  }

  #pressHelp(action: ActionId | undefined): void {
    if (action === "palette") {
      this.#openPalette();
      return;
    }
    this.#help.press(action);
  }

  #type(data: string): void {
    const before = this.#query.text;
    this.#query.press(data);
    if (this.#query.text !== before) this.#results.setQuery(this.#query.text);
  }

  #run(action: ActionId): void {
    const { mode, tree, facets, palette } = this.#state;
    const { hub } = this.#options;
    if (hub && needsFiles(action)) {
      this.#say(formatRefusal(action, getSelectedRow(this.#state)?.session, hub), true);
    } else if (mode === "list") this.#inList(action);
    else if (mode === "preview") this.#inPreview(action);
    else if (mode === "tree" && tree) this.#inTree(tree, action);
    else if (mode === "facets" && facets) this.#inFacets(facets, action);
    else if (palette) this.#inPalette(palette, action);
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
      theme: () => this.#setTheme(THEMES[(THEMES.indexOf(state.look.theme) + 1) % THEMES.length] ?? "auto"),
      path: () => {
        state.showsPaths = !state.showsPaths;
      },
      complete: () => {
        this.#query.text = this.#results.complete(this.#query.text);
      },
      olderQuery: () => this.#recall(this.#queries.older(this.#query.text)),
      newerQuery: () => this.#recall(this.#queries.newer(this.#query.text)),
      saveSearch: () => this.#queries.save(this.#query.text),
      facets: () => void this.#openFacets(),
      scan: () => this.#scan(),
      undo: () => this.#actions.undo(),
    };
    const row = getSelectedRow(state);
    if (to !== undefined) {
      if (action === "up" && this.#queries.isRecalledByUp(this.#query.text)) handlers.olderQuery?.();
      else this.#select(to);
    } else if (state.marked.size > 0 && this.#runOnAll(action, [...state.marked.values()])) return;
    else if (handlers[action]) handlers[action]();
    else if (row && this.#results.hasJustMoved) this.#say("the list changed; press the key again", true);
    else if (row) this.#runOn(action, row.session);
    else this.#say("no session is selected", true);
  }

  /** Turns the query into a pattern that is searched in the files themselves, which also finds text that is not indexed. */
  #scan(): void {
    const { text } = this.#query;
    if (text.trim() === "" || parseTypedQuery(text).by === "pattern") return;
    this.#setQuery(filePattern(text));
  }

  #setTheme(theme: ThemeName): void {
    this.#state.look = { ...this.#state.look, theme };
    if (needsBackground(this.#state.look)) this.#screen.askBackground();
    this.#say(`theme: ${theme} (to keep it: pidex config set picker.theme ${theme})`, false);
  }

  #recall(query: string | undefined): void {
    if (query === undefined) this.#say("no other query in the history", false);
    else this.#setQuery(query);
  }

  /** Marks or unmarks a session, and goes to the next one. */
  #mark(session: ShownSession): void {
    const { marked, selected, results } = this.#state;
    const others = new Map(marked);
    if (!others.delete(session.path)) others.set(session.path, session);
    this.#state.marked = others;
    if (selected + 1 < results.rows.length) this.#select(selected + 1);
  }

  /** Runs an action on sessions. @returns false if it is an action on one session */
  #runOnAll(action: ActionId, sessions: readonly ShownSession[]): boolean {
    const handlers: Handlers = {
      pin: () => this.#actions.pin(sessions),
      archive: () => this.#actions.archive(sessions),
      tag: () => this.#actions.tag(sessions),
      delete: () => this.#actions.delete(sessions),
      copy: () => this.#output.copyCommands(sessions),
      copyId: () => this.#output.copyIds(sessions),
      copyPath: () => this.#output.copyPaths(sessions),
      exportHtml: () => this.#output.export(sessions, "html"),
      exportMarkdown: () => this.#output.export(sessions, "md"),
    };
    handlers[action]?.();
    return handlers[action] !== undefined;
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
        this.#queries.remember(this.#query.text);
        this.#open("preview");
        this.#read(session);
      },
      tree: () => void this.#openTree(session),
      previewUp: () => this.#preview.scroll(-SCROLL_LINES),
      previewDown: () => this.#preview.scroll(SCROLL_LINES),
      nextHit: () => walk(1),
      previousHit: () => walk(-1),
      browser: () => this.#output.openInBrowser(session),
      rename: () => this.#actions.rename(session),
      fork: () => this.#actions.fork(session),
      move: () => this.#actions.move(session),
      edit: () => this.#output.edit(session),
      copyAnswer: () => this.#output.copyAnswer(session),
      mark: () => this.#mark(session),
    };
    if (!this.#runOnAll(action, [session])) handlers[action]?.();
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
      find: () => this.#askForText(),
      nextPrompt: () => preview.goToPrompt(1),
      previousPrompt: () => preview.goToPrompt(-1),
      unfold: () => preview.toggleExpanded(),
      branch: () => preview.toggleBranches(),
    };
    if (handlers[action]) handlers[action]();
    else if (preview.session) this.#runOn(action, preview.session);
  }

  /** Prompts for a text to search the session for. */
  #askForText(): void {
    this.#prompt = textPrompt("Search", "", (text) => {
      this.#found = text || this.#found; // as in less, Enter alone repeats the last search
      if (this.#found !== "") void this.#find(this.#found);
    });
  }

  async #find(text: string): Promise<void> {
    const isFound = await this.#try(this.#preview.find(text));
    if (isFound === false) this.#say(`no match for "${text}" in this session`, true);
    this.#screen.redraw();
  }

  #inTree(tree: TreeState, action: ActionId): void {
    const line = this.#tree.selected?.line;
    if (this.#tree.move(action, countBodyRows(this.#screen.size))) return;
    if (action === "all") void this.#try(this.#tree.reload(!tree.all));
    else if (action === "label" && line !== undefined) void this.#actions.label(tree.session, line);
    else if (action === "open" && line !== undefined) {
      this.#open("preview");
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
      this.#goBack();
      if (chosen) this.#setQuery(`${addTerm(this.#query.text.trim(), chosen.term)} `);
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
    const path = this.#path;
    const line = this.#state.mode === "preview" ? this.#preview.entryLine : undefined;
    await this.#try(this.#tree.open(session, line ?? getSelectedRow(this.#state)?.hits[0]?.line));
    if (this.#state.tree?.session === session) this.#open("tree", path);
    this.#screen.redraw();
  }

  async #openFacets(): Promise<void> {
    const path = this.#path;
    const groups = await this.#try(this.#options.client.call("facets", this.#state.view));
    if (groups) {
      this.#state.facets = { groups, selected: 0 };
      this.#open("facets", path);
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
      const resumed = printsSelection ? session : await locateSession(session, this.#options);
      if (!printsSelection) await assertResumable(resumed, env);
      this.#queries.remember(this.#query.text);
      const { marked } = this.#state;
      const isPrintingAll = printsSelection && marked.size > 0;
      this.#ending.resolve({ sessions: isPrintingAll ? [...marked.values()] : [resumed] });
    } catch (error) {
      const isGone = error instanceof PidexError && error.code === "FOLDER_GONE";
      if (isGone) this.#say(this.#offerMove(session), true);
      else this.#sayError(error);
      this.#screen.redraw();
    }
  }

  /** Says that a session's folder is gone, and which key moves the session to another one. */
  #offerMove({ cwd }: ShownSession): string {
    const [key] = this.#options.keys.getKeys("move", this.#state.mode);
    const before = "the session's folder no longer exists: ";
    const after = key === undefined ? " · pidex move" : ` · ${formatKey(key)} move`;
    const columns = this.#screen.size.columns - measureWidth(before + after);
    return before + truncateStart(shortenPath(cwd), Math.max(1, columns)) + after;
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
