/** The preview of a session: its entries, the scroll position, and the current hit. */
import { toMessage } from "../../library/internal.ts";
import { literalPattern } from "../format/query-words.ts";
import { formatCount, formatInteger, toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import type { PickerContext } from "./context.ts";
import type { Size } from "./frames/layout.ts";
import type { EntryLines } from "./model/requests.ts";
import type { Row, ShownHit, ShownSession, View } from "./model/view.ts";
import { extractMatches, findFirstMatch, highlightLines } from "./preview/highlight.ts";
import { RenderedEntries } from "./rendered-entries.ts";

/** Entries requested before and after the scroll position. Few, because other requests wait meanwhile. */
const ENTRIES_BEFORE = 4;
const ENTRIES_AFTER = 20;
/** Lines shown above a hit. */
const CONTEXT_LINES = 3;

/** Scroll position: the first visible line. */
interface Anchor {
  /** Index into the shown entries. */
  entry: number;
  /** Index into the entry's rendered lines. */
  offset: number;
}

export class Preview {
  readonly #picker: PickerContext;
  #session: ShownSession | undefined;
  #view: View | undefined;
  #outline: EntryLines | undefined;
  /** Line numbers in the file of the entries shown: those of the current branch, or all. */
  #shown: number[] = [];
  #showsAll = false;
  readonly #drawn: RenderedEntries;
  #height = 0;
  #anchor: Anchor = { entry: 0, offset: 0 };
  /** Line of the file to scroll to once its entry is rendered. */
  #target: number | undefined;
  /** Line of the file that was opened, until the user scrolls. */
  #openedAt: number | undefined;
  /** Whether it stays at the end while entries are rendered or appended. */
  #isAtEnd = false;
  #hits: ShownHit[] = [];
  #hit: number | undefined;
  #hitCount = 0;
  /** Whether `#hits` contains all hits of the session. */
  #hasAllHits = false;
  #finds: string[] = [];
  #failure: string | undefined;

  constructor(picker: PickerContext) {
    this.#picker = picker;
    this.#drawn = new RenderedEntries(picker, (session, error) => this.#failed(session, error));
  }

  get session(): ShownSession | undefined {
    return this.#session;
  }

  /** The title: the current hit and what is shown. */
  get title(): string {
    const hit = this.#formatHit();
    const branch = this.#showsAll ? "all branches" : "";
    const folds = this.#drawn.isExpanded ? "expanded" : "";
    const isReader = this.#picker.state.mode === "preview" && this.#shown.length > 0;
    const position = `${formatInteger(this.#anchor.entry + 1)} of ${formatCount(this.#shown.length, "entry", "entries")}`;
    return [hit, branch, folds, isReader ? position : ""].filter(Boolean).join(" · ");
  }

  /** The position of the current hit among all hits of the session, once they are known; until then their number. */
  #formatHit(): string {
    if (this.#hit === undefined || this.#hits.length === 0) return "";
    if (this.#hasAllHits) return `${this.#hit + 1} of ${formatCount(this.#hits.length, "hit")}`;
    return formatCount(Math.max(this.#hitCount, this.#hits.length), "hit");
  }

  /** Line of the current entry: that of the hit, the one that was opened, or the first visible one. */
  get entryLine(): number | undefined {
    const hit = this.#hit === undefined ? undefined : this.#hits[this.#hit]?.line;
    return hit ?? this.#openedAt ?? this.#shown[this.#anchor.entry];
  }

  /** Sets the size of the pane and what is shown in it, before a session is opened. */
  setPane({ columns, rows }: Size, isSummary: boolean): void {
    this.#height = rows;
    this.#drawn.setLook({ width: Math.max(1, columns), isSummary });
  }

  /**
   * Shows a session at a line, at its best hit, or at its start.
   *
   * @param hits its best hits
   * @param hitCount number of all its hits
   */
  show(
    session: ShownSession,
    view: View,
    { hits, hitCount }: Pick<Row, "hits" | "hitCount">,
    line?: number,
  ): void {
    const isSame = this.#session?.path === session.path && this.#view?.query === view.query;
    if (isSame && line === undefined) return; // keeps the scroll position
    const knowsOutline = this.#session?.path === session.path;
    this.#session = session;
    this.#view = view;
    this.#hits = [...hits].sort((a, b) => a.line - b.line);
    this.#hitCount = hitCount;
    this.#hasAllHits = hitCount <= this.#hits.length;
    this.#finds = extractMatches(this.#hits);
    this.#failure = undefined;
    this.#drawn.startSession();
    const best = hits[0];
    this.#hit = line === undefined && best ? this.#hits.indexOf(best) : undefined;
    this.#anchor = { entry: 0, offset: 0 };
    this.#isAtEnd = false;
    this.#target = line ?? best?.line;
    this.#openedAt = line;
    if (knowsOutline && this.#outline) this.#goToTarget();
    else {
      this.#outline = undefined;
      this.#shown = [];
      this.#showsAll = false;
      void this.#readOutline(session);
    }
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
      if (!this.#hasAllHits && this.#view) await this.#readHits(session, this.#view);
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
    if (!this.#shown.includes(this.#target) && !this.#showsAll) this.#choose(true);
    const entry = this.#shown.indexOf(this.#target);
    if (entry < 0) this.#target = undefined;
    else {
      this.#anchor = { entry, offset: 0 };
      this.#isAtEnd = false;
    }
  }

  /** Requests all hits of the session: the list only has the best. */
  async #readHits(session: ShownSession, view: View): Promise<void> {
    const hits = await this.#picker.client.call("hits", { path: session.path, sessionId: session.id, view });
    if (this.#session !== session || this.#view !== view || hits.length === 0) return;
    const currentLine = this.#hit === undefined ? undefined : this.#hits[this.#hit]?.line;
    this.#hits = hits;
    this.#finds = extractMatches(hits);
    const same = hits.findIndex(({ line }) => line === currentLine);
    this.#hit = same >= 0 ? same : this.#hit === undefined ? undefined : 0;
    this.#hasAllHits = true;
  }

  /** Goes to the next (1) or previous (-1) hit, wrapping around. */
  async goToHit(by: 1 | -1): Promise<void> {
    const [session, view] = [this.#session, this.#view];
    if (!session || !view) return;
    try {
      if (!this.#hasAllHits) await this.#readHits(session, view);
    } catch (error) {
      this.#failed(session, error);
    }
    const count = this.#hits.length;
    if (this.#session !== session || count === 0) return;
    const from = this.#hit ?? (by === 1 ? -1 : 0);
    this.#hit = (from + by + count) % count;
    this.#target = this.#hits[this.#hit]?.line;
    this.#goToTarget();
    this.#picker.screen.redraw();
  }

  /**
   * Searches the session for a text, in any case, and goes to the first match at or below the scroll position. Its matches replace the
   * hits of the query.
   *
   * @returns whether the text was found
   */
  async find(text: string): Promise<boolean> {
    const [session, view] = [this.#session, this.#view];
    if (!session || !view) return false;
    const { client, hub, screen } = this.#picker;
    // A hub has no files to search for a pattern.
    const query = hub ? text : literalPattern(text);
    const everywhere = { cwd: undefined, named: false, archived: true, subagents: true };
    const hits = await client.call("hits", {
      path: session.path,
      sessionId: session.id,
      view: { ...view, ...everywhere, query },
    });
    if (this.#session !== session || hits.length === 0) return false;
    const from = this.#shown[this.#anchor.entry] ?? 0;
    this.#hits = hits;
    this.#hasAllHits = true;
    this.#finds = extractMatches(hits);
    this.#hit = Math.max(
      0,
      hits.findIndex(({ line }) => line >= from),
    );
    this.#target = hits[this.#hit]?.line;
    this.#goToTarget();
    screen.redraw();
    return true;
  }

  /** Goes to the next (1) or previous (-1) message of the user. */
  goToPrompt(by: 1 | -1): void {
    const prompts = new Set(this.#outline?.prompts);
    const { entry, offset } = this.#anchor;
    const isPrompt = (line: number) => prompts.has(line);
    // Within a prompt, the previous one is its own beginning.
    const to =
      by === 1
        ? this.#shown.findIndex((line, n) => n > entry && isPrompt(line))
        : this.#shown.findLastIndex(
            (line, n) => (n < entry || (n === entry && offset > 0)) && isPrompt(line),
          );
    if (to >= 0) this.#scrollTo({ entry: to, offset: 0 });
  }

  toggleExpanded(): void {
    this.#drawn.toggleExpanded();
    this.#isAtEnd = false;
    this.#target = this.#shown[this.#anchor.entry];
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
    this.#scrollTo(this.#findAnchor(by));
  }

  #scrollTo(anchor: Anchor): void {
    this.#target = undefined;
    this.#openedAt = undefined;
    this.#anchor = anchor;
    this.#isAtEnd = false;
  }

  /** The position `by` lines from the current one, as far as entries are rendered. */
  #findAnchor(by: number): Anchor {
    let { entry, offset } = this.#anchor;
    for (let left = Math.abs(by); left > 0; left--) {
      if (by > 0) {
        const length = this.#textOf(entry)?.length;
        if (length === undefined) break;
        if (offset + 1 < length) offset++;
        else if (entry + 1 < this.#shown.length) [entry, offset] = [entry + 1, 0];
        else break;
      } else if (offset > 0) offset--;
      else {
        const before = this.#textBefore(entry);
        if (!before) break;
        [entry, offset] = [before.entry, before.length - 1];
      }
    }
    return { entry, offset };
  }

  /** The nearest entry before this one that has lines, if rendered. */
  #textBefore(entry: number): { entry: number; length: number } | undefined {
    for (let n = entry - 1; n >= 0; n--) {
      const length = this.#textOf(n)?.length;
      if (length === undefined) return undefined;
      if (length > 0) return { entry: n, length };
    }
    return undefined;
  }

  #textOf(entry: number): string[] | undefined {
    const line = this.#shown[entry];
    return line === undefined ? undefined : this.#drawn.getLines(line);
  }

  /** The visible lines, each at most `width` columns wide. Requests entries that are not rendered yet. */
  drawLines(width: number, height: number): string[] {
    this.setPane({ columns: width, rows: height }, this.#picker.state.mode !== "preview");
    if (this.#failure !== undefined) return [truncate(toOneLine(this.#failure), width)];
    if (!this.#session || height < 1) return [];
    this.#settle();
    const lines: string[] = [];
    let { entry, offset } = this.#anchor;
    let isWhole = true;
    for (; entry < this.#shown.length && lines.length < height; entry++) {
      const text = this.#textOf(entry);
      if (!text) {
        isWhole = false;
        break;
      }
      lines.push(...text.slice(offset, offset + height - lines.length));
      offset = 0;
    }
    if (!isWhole || this.#lacksBefore()) this.#want();
    if (!isWhole) lines.push(this.#picker.theme.style("dim", "…"));
    return highlightLines(lines, this.#finds, this.#picker.theme);
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
      const find = findFirstMatch(text, this.#finds);
      const line = this.#target;
      // The match may be in a folded part: unfold the entry.
      if (find === undefined && this.#hit !== undefined && this.#drawn.expandEntry(line)) return;
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
    if (room > 0) this.#anchor = this.#findAnchor(-room);
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
