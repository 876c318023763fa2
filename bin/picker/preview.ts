/** The preview of a session: its entries and the scroll position. */

import { toMessage } from "../../library/internal.ts";
import { literalPattern } from "../format/query-words.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import type { PickerContext } from "./context.ts";
import type { Size } from "./frames/layout.ts";
import type { EntryLines } from "./model/requests.ts";
import type { Row, ShownSession, View } from "./model/view.ts";
import { type Anchor, moveAnchor } from "./preview/anchor.ts";
import { findFirstMatch, highlightLines } from "./preview/highlight.ts";
import { RenderedEntries } from "./rendered-entries.ts";
import { SessionHits } from "./session-hits.ts";

/** Entries requested before and after the scroll position. Few, because other requests wait meanwhile. */
const ENTRIES_BEFORE = 4;
const ENTRIES_AFTER = 20;
/** Lines shown above a hit. */
const CONTEXT_LINES = 3;

/** Columns before the text of the reader, which mark the current entry. */
const GUTTER_COLUMNS = 2;

/** All hits of a session are read this long after it was opened, in milliseconds. */
const HITS_DELAY_MS = 400;

/** Hits as a row of the list has them: the best ones, and the number of all. */
type ListedHits = Pick<Row, "hits" | "hitCount" | "hasUnknownHits">;

export class Preview {
  readonly #picker: PickerContext;
  #session: ShownSession | undefined;
  #view: View | undefined;
  /** The hits of the session's row in the list. */
  #listed: ListedHits = { hits: [], hitCount: 0 };
  #outline: EntryLines | undefined;
  /** Line numbers in the file of the entries shown: those of the current branch, or all. */
  #shown: number[] = [];
  #showsAll = false;
  readonly #drawn: RenderedEntries;
  #height = 0;
  #anchor: Anchor = { entry: 0, offset: 0 };
  /** Line of the file to scroll to once its entry is rendered. */
  #target: number | undefined;
  /** Line of the file of the entry that was opened, or of the prompt that the user went to, until the user scrolls. */
  #openedAt: number | undefined;
  /** Whether the user moved since the last hit. */
  #hasMoved = false;
  /** Whether it stays at the end while entries are rendered or appended. */
  #isAtEnd = false;
  readonly #hits = new SessionHits();
  #hitsTimer: NodeJS.Timeout | undefined;
  #failure: string | undefined;

  constructor(picker: PickerContext) {
    this.#picker = picker;
    this.#drawn = new RenderedEntries(picker, (session, error) => this.#failed(session, error));
  }

  get session(): ShownSession | undefined {
    return this.#session;
  }

  get hasHits(): boolean {
    return this.#hits.format() !== "";
  }

  get isExpanded(): boolean {
    return this.#drawn.isExpanded;
  }

  /** The current hit and what is shown, most important first. */
  get facts(): string[] {
    const hit = this.#hits.format();
    const branch = this.#showsAll ? "all branches" : "";
    const folds = this.#drawn.isExpanded ? "expanded" : "";
    const isReader = this.#isReader && this.#shown.length > 0;
    const entry = this.#isAtEnd ? this.#shown.length : this.#anchor.entry + 1;
    const position = `${formatInteger(entry)} of ${formatCount(this.#shown.length, "entry", "entries")}`;
    return [hit, branch, folds, isReader ? position : ""].filter(Boolean);
  }

  /** Line of the current entry, or else of the first visible one. */
  get entryLine(): number | undefined {
    if (this.#hasMoved) return this.#openedAt ?? this.#shown[this.#anchor.entry];
    return this.#currentLine ?? this.#shown[this.#anchor.entry];
  }

  /** Line of the entry that was opened, or that the user went to: a prompt or a hit. */
  get #currentLine(): number | undefined {
    return this.#openedAt ?? this.#hits.line;
  }

  /** Sets the size of the pane and what is shown in it, before a session is opened. */
  setPane({ columns, rows }: Size, isSummary: boolean): void {
    this.#height = rows;
    const width = isSummary ? columns : columns - GUTTER_COLUMNS;
    const isChanged = this.#drawn.setLook({ width: Math.max(1, width), isSummary });
    // The line of the hit within its entry is another one now.
    if (isChanged && !this.#hasMoved) this.#target ??= this.#currentLine;
  }

  /**
   * Shows a session at a line, at its best hit, or at its start.
   *
   * @param row its best hits, and the number of all
   */
  show(session: ShownSession, view: View, row: ListedHits, line?: number): void {
    const isSame = this.#session?.path === session.path && this.#view?.query === view.query;
    if (isSame && line === undefined) {
      this.#goToFirstHit(); // or else keeps the scroll position
      return;
    }
    const knowsOutline = this.#session?.path === session.path;
    clearTimeout(this.#hitsTimer);
    this.#session = session;
    this.#view = view;
    this.#listed = row;
    this.#hasMoved = false;
    this.#hits.start(row, line === undefined);
    this.#failure = undefined;
    this.#drawn.startSession();
    this.#anchor = { entry: 0, offset: 0 };
    this.#isAtEnd = false;
    this.#target = line ?? this.#hits.line;
    this.#openedAt = line;
    if (knowsOutline && this.#outline) {
      this.#goToTarget();
      this.#readHitsLater(session);
    } else {
      this.#outline = undefined;
      this.#shown = [];
      this.#showsAll = false;
      void this.#readOutline(session);
    }
  }

  close(): void {
    clearTimeout(this.#hitsTimer);
  }

  /** Reloads the session after its file changed. */
  reload(): void {
    const { path } = this.#session ?? {};
    if (path === undefined) return;
    if (this.#session) void this.#readOutline(this.#session, this.#shown[this.#anchor.entry]);
  }

  async #readOutline(session: ShownSession, line?: number): Promise<void> {
    try {
      const { look } = this.#drawn;
      const at = this.#target ?? line ?? null;
      const rows = 2 * this.#height; // as many again to scroll to
      const { outline, drawn } = await this.#picker.client.call("open", session.path, at, rows, look);
      if (this.#session !== session) return;
      this.#failure = undefined;
      this.#outline = outline;
      this.#drawn.clear(); // the file may have changed
      this.#drawn.add(drawn, look);
      if (line !== undefined) this.#target ??= line;
      this.#choose(this.#showsAll);
      this.#goToTarget();
      this.#picker.screen.redrawNow();
      this.#readHitsLater(session);
    } catch (error) {
      this.#failed(session, error);
    }
    this.#picker.screen.redraw();
  }

  #failed(session: ShownSession, error: unknown): void {
    if (this.#session !== session) return;
    // While the first index is built, the newest sessions are listed from their files.
    const isUnknown = error instanceof Error && "code" in error && error.code === "NOT_FOUND";
    this.#failure = isUnknown ? "This session is not in the index yet." : toMessage(error);
  }

  /** Shows the current branch, or all entries. */
  #choose(all: boolean): void {
    this.#showsAll = all;
    this.#shown = this.#outline?.[all ? "all" : "current"] ?? [];
  }

  /** Scrolls to the target line, showing all branches if necessary. */
  #goToTarget(): void {
    if (this.#target === undefined || !this.#outline) return; // done when the outline arrives
    if (!this.#shown.includes(this.#target) && !this.#showsAll) {
      this.#choose(true);
      if (this.#isReader) this.#picker.showMessage("on an abandoned branch: showing all branches");
    }
    const entry = this.#shown.indexOf(this.#target);
    if (entry < 0) this.#target = undefined;
    else {
      this.#anchor = { entry, offset: 0 };
      this.#isAtEnd = false;
    }
  }

  /** Reads all hits, but not while the user types or moves on: in a long session that delays the next key's results. */
  #readHitsLater(session: ShownSession): void {
    if (this.#hits.areAllKnown) return;
    clearTimeout(this.#hitsTimer);
    const delay = this.#isReader ? 0 : HITS_DELAY_MS; // nothing is typed in the reader
    this.#hitsTimer = setTimeout(() => {
      if (this.#session !== session || this.#hits.areAllKnown || !this.#view) return;
      // The user types on: the preview of the new query reads its own hits.
      if (this.#view.query !== this.#picker.state.view.query) return;
      this.#readHits(session, this.#view)
        .catch((error) => this.#failed(session, error))
        .finally(() => this.#picker.screen.redraw());
    }, delay);
  }

  /** Requests all hits of the session: the list only has the best. */
  async #readHits(session: ShownSession, view: View): Promise<void> {
    const hits = await this.#picker.client.call("hits", { path: session.path, sessionId: session.id, view });
    if (this.#session !== session || this.#view !== view) return;
    this.#hits.setAll(hits);
    this.#goToFirstHit();
  }

  /** Goes to the first hit in the reader, if none is current: a session may be listed for its title, before its hits are known. */
  #goToFirstHit(): void {
    const { entry, offset } = this.#anchor;
    const isAtStart = entry === 0 && offset === 0 && this.#currentLine === undefined;
    if (this.#isReader && isAtStart && this.#hits.goToFirst()) this.#showHit();
  }

  get #isReader(): boolean {
    return this.#picker.state.mode === "preview";
  }

  /** Line of the entry to which the user scrolled or went since the last hit; undefined if the reader is still there. */
  get #movedTo(): number | undefined {
    if (!this.#hasMoved) return undefined;
    return this.#isAtEnd ? this.#shown.at(-1) : this.entryLine;
  }

  /** Goes to the next (1) or previous (-1) hit, from where the user reads, wrapping around. */
  async goToHit(by: 1 | -1): Promise<void> {
    const [session, view] = [this.#session, this.#view];
    if (!session || !view) return;
    try {
      if (!this.#hits.areAllKnown) await this.#readHits(session, view);
    } catch (error) {
      this.#failed(session, error);
    }
    if (this.#session !== session) return;
    const before = this.#hits.current;
    const from = this.#movedTo;
    if (!(from === undefined ? this.#hits.step(by) : this.#hits.stepFrom(from, by)))
      this.#picker.showMessage(this.#hits.isSearching ? "still searching" : "no hits in this session");
    else {
      this.#showHit();
      const { current } = this.#hits;
      if (from === undefined && before !== undefined && current !== undefined && by * (current - before) < 0)
        this.#picker.showMessage(by === 1 ? "went on at the first hit" : "went on at the last hit");
    }
    this.#picker.screen.redraw();
  }

  /**
   * Searches the session for a text, in any case, and goes to the first match at or below the scroll position. Its matches replace the
   * hits of the query.
   *
   * @returns whether the text was found; undefined if another text or session replaced the search
   */
  async find(text: string): Promise<boolean | undefined> {
    const [session, view] = [this.#session, this.#view];
    if (!session || !view) return undefined;
    const { client, hub, screen } = this.#picker;
    // A hub has no files to search for a pattern.
    const query = hub ? text : literalPattern(text.toLowerCase()); // a pattern in lower case ignores case
    const everywhere = { cwd: undefined, named: false, archived: true, subagents: true };
    const started = this.#hits.startFind(text, { isLiteral: !hub });
    const params = { path: session.path, sessionId: session.id, view: { ...view, ...everywhere, query } };
    const hits = await client.call("hits", params).finally(() => {
      started.find.isSearching = false;
    });
    const isFound = this.#hits.endFind(started, hits, this.#shown[this.#anchor.entry] ?? 0);
    if (isFound) {
      this.#showHit();
      screen.redraw();
    }
    return isFound;
  }

  /** Ends a search for a text: the hits are those of the query again. @returns false if there was none */
  endFind(): boolean {
    const session = this.#session;
    if (!session || !this.#hits.isFinding) return false;
    this.#openedAt ??= this.#hits.line;
    this.#hits.start(this.#listed, false);
    this.#readHitsLater(session);
    return true;
  }

  #showHit(): void {
    this.#hasMoved = false;
    this.#openedAt = undefined;
    this.#target = this.#hits.line;
    this.#goToTarget();
  }

  /** Goes to the next (1) or previous (-1) message of the user. */
  goToPrompt(by: 1 | -1): void {
    const prompts = new Set(this.#outline?.prompts);
    // Near the end, where the view can't scroll further, the current entry is below the first visible one.
    const current = this.#openedAt === undefined ? -1 : this.#shown.indexOf(this.#openedAt);
    const { entry, offset } = current >= 0 ? { entry: current, offset: 0 } : this.#anchor;
    const isPrompt = (line: number) => prompts.has(line);
    // Within a prompt, the previous one is its own beginning.
    const to =
      by === 1
        ? this.#shown.findIndex((line, n) => n > entry && isPrompt(line))
        : this.#shown.findLastIndex(
            (line, n) => (n < entry || (n === entry && offset > 0)) && isPrompt(line),
          );
    if (to < 0) return;
    this.#scrollTo({ entry: to, offset: 0 });
    this.#openedAt = this.#shown[to];
  }

  toggleExpanded(): void {
    this.#drawn.toggleExpanded();
    this.#isAtEnd = false;
    this.#target = this.entryLine;
  }

  /** Expands or collapses the entry at the top of the pane. */
  toggleEntry(): void {
    const { entry, offset } = this.#anchor;
    const text = this.#textOf(entry);
    // Below its last line is the blank one before the next entry; entries without lines are not seen.
    let top = text && offset >= text.length - 1 ? entry + 1 : entry;
    while (this.#textOf(top)?.length === 0) top++;
    const line = this.#shown[top];
    if (line === undefined) return;
    if (this.#drawn.toggleEntry(line)) this.#scrollTo({ entry: top, offset: top === entry ? offset : 0 });
    else this.#picker.showMessage("all entries are expanded");
  }

  /** Whether the first visible lines are still being loaded. */
  get isLoading(): boolean {
    if (this.#failure !== undefined || !this.#session) return false;
    if (!this.#outline) return true;
    return this.#shown.length > 0 && this.#textOf(this.#anchor.entry) === undefined;
  }

  toggleBranches(): void {
    const line = this.#shown[this.#anchor.entry];
    this.#choose(!this.#showsAll);
    const entry = this.#shown.findIndex((each) => line !== undefined && each >= line);
    this.#anchor = { entry: Math.max(0, entry), offset: 0 };
    this.#isAtEnd = false;
  }

  first(): void {
    this.#scrollTo({ entry: 0, offset: 0 });
  }

  last(): void {
    this.#scrollTo(this.#anchor);
    this.#isAtEnd = true;
  }

  /** Scrolls by `by` lines, as far as entries are rendered. */
  scroll(by: number): void {
    this.#scrollTo(this.#moved(by));
  }

  #scrollTo(anchor: Anchor): void {
    this.#hasMoved = true;
    this.#target = undefined;
    this.#openedAt = undefined;
    this.#anchor = anchor;
    this.#isAtEnd = false;
  }

  #moved(by: number): Anchor {
    return moveAnchor(this.#anchor, by, this.#shown.length, (entry) => this.#textOf(entry)?.length);
  }

  #textOf(entry: number): string[] | undefined {
    const line = this.#shown[entry];
    return line === undefined ? undefined : this.#drawn.getLines(line);
  }

  /** The visible lines, each at most `width` columns wide. Requests entries that are not rendered yet. */
  drawLines(width: number, height: number): string[] {
    this.setPane({ columns: width, rows: height }, !this.#isReader);
    if (this.#failure !== undefined) return [truncate(toOneLine(this.#failure), width)];
    if (!this.#session || height < 1) return [];
    this.#settle();
    const lines: string[] = [];
    /** Where the lines of the current entry are. */
    let current = { from: 0, to: 0 };
    let { entry, offset } = this.#anchor;
    let isWhole = true;
    for (; entry < this.#shown.length && lines.length < height; entry++) {
      const text = this.#textOf(entry);
      if (!text) {
        isWhole = false;
        break;
      }
      const from = lines.length;
      lines.push(...text.slice(offset, offset + height - lines.length));
      if (this.#shown[entry] === this.#currentLine) current = { from, to: lines.length };
      offset = 0;
    }
    if (!isWhole || this.#lacksBefore()) this.#want();
    if (!isWhole) lines.push(this.#picker.theme.style("dim", "…"));
    const highlighted = highlightLines(lines, this.#hits.matches, this.#picker.theme);
    if (!this.#isReader) return highlighted;
    const mark = this.#picker.theme.style("cyan", "▌".padEnd(GUTTER_COLUMNS));
    const blank = " ".repeat(GUTTER_COLUMNS);
    return highlighted.map((text, n) => {
      const isCurrent = n >= current.from && n < current.to && text !== "";
      return (isCurrent ? mark : blank) + text;
    });
  }

  #lacksBefore(): boolean {
    const { entry } = this.#anchor;
    return entry > 0 && this.#textOf(entry - 1) === undefined;
  }

  /** Scrolls to the target's first match, and fills the pane to its last line. */
  #settle(): void {
    if (this.#isAtEnd)
      this.#anchor = { entry: Math.max(0, this.#shown.length - 1), offset: Number.MAX_SAFE_INTEGER };
    const { entry } = this.#anchor;
    const text = this.#textOf(entry);
    if (!text) return;
    if (this.#target !== undefined && this.#shown[entry] === this.#target) {
      const find = findFirstMatch(text, this.#hits.matches);
      const line = this.#target;
      // The match may be in a folded part: unfold the entry.
      if (find === undefined && this.#hits.line !== undefined && this.#drawn.expandEntry(line)) return;
      this.#target = undefined;
      const offset = find === undefined || find < this.#height - 1 ? 0 : find - CONTEXT_LINES;
      this.#anchor = { entry, offset };
    }
    this.#anchor.offset = Math.max(0, Math.min(this.#anchor.offset, text.length - 1));
    this.#fill();
  }

  /** Scrolls up if there is empty space below the last line. */
  #fill(): void {
    let room = this.#height;
    const { entry, offset } = this.#anchor;
    for (let n = entry; n < this.#shown.length && room > 0; n++) {
      const text = this.#textOf(n);
      if (!text) return; // more lines will follow
      room -= n === entry ? text.length - offset : text.length;
    }
    if (room > 0) this.#anchor = this.#moved(-room);
  }

  /** Requests the entries around the scroll position. */
  #want(): void {
    if (!this.#session || !this.#outline) return;
    const { entry } = this.#anchor;
    this.#drawn.requestMissing(
      this.#session,
      this.#shown.slice(Math.max(0, entry - ENTRIES_BEFORE), entry + ENTRIES_AFTER),
    );
  }
}
