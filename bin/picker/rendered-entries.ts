/** Cache of a session's rendered entries, which are requested as they scroll into view. */
import type { PickerContext } from "./context.ts";
import type { PreviewLook, RenderedEntry } from "./model/requests.ts";
import type { ShownSession } from "./model/view.ts";

type OnFailed = (session: ShownSession, error: unknown) => void;

export class RenderedEntries {
  readonly #picker: PickerContext;
  readonly #onFailed: OnFailed;
  #look: PreviewLook = { width: 0, isSummary: false };
  #unfolded = false;
  /** Lines of entries that are unfolded individually. */
  readonly #opened = new Set<number>();
  /** Rendered lines by line number in the file. */
  readonly #texts = new Map<number, string[]>();
  #isDrawing = false;
  /** Changes when lines that are being rendered are no longer wanted. */
  #generation = 0;

  constructor(picker: PickerContext, onFailed: OnFailed) {
    this.#picker = picker;
    this.#onFailed = onFailed;
  }

  /** Whether calls, output and thinking are unfolded. */
  get isExpanded(): boolean {
    return this.#unfolded;
  }

  /** The rendered lines of the entry on a line of the file; undefined if it is not rendered yet. */
  getLines(line: number): string[] | undefined {
    return this.#texts.get(line);
  }

  /** Clears everything, for another session. */
  startSession(): void {
    this.#opened.clear();
    this.clear();
  }

  /** Clears the cache: the entries may have changed. */
  clear(): void {
    this.#texts.clear();
    this.#generation++;
  }

  get look(): PreviewLook {
    return this.#look;
  }

  /** @returns whether it is another one: then all entries are rendered again */
  setLook(look: PreviewLook): boolean {
    if (look.width === this.#look.width && look.isSummary === this.#look.isSummary) return false;
    this.#look = look;
    this.clear();
    return true;
  }

  /** Adds rendered entries, if they have the current look and nothing is expanded. */
  add(drawn: readonly RenderedEntry[], look: PreviewLook): void {
    if (look !== this.#look || this.#unfolded) return;
    for (const { line, text } of drawn) if (!this.#opened.has(line)) this.#texts.set(line, text);
  }

  /** Folds or unfolds all entries. */
  toggleExpanded(): void {
    this.#unfolded = !this.#unfolded;
    this.#opened.clear();
    this.clear();
  }

  /** Unfolds one entry. @returns false if it is already unfolded */
  expandEntry(line: number): boolean {
    if (this.#unfolded || this.#opened.has(line)) return false;
    this.#opened.add(line);
    this.#texts.delete(line);
    return true;
  }

  /** Folds an entry that is unfolded individually, or unfolds it. @returns false if all entries are unfolded */
  toggleEntry(line: number): boolean {
    if (this.expandEntry(line)) return true;
    if (this.#unfolded) return false;
    this.#opened.delete(line);
    this.#texts.delete(line);
    return true;
  }

  /** Requests entries that are not rendered yet. One request at a time: callers request the rest again after it. */
  requestMissing(session: ShownSession, lines: readonly number[]): void {
    const missing = lines.filter((line) => !this.#texts.has(line));
    if (missing.length > 0 && !this.#isDrawing) void this.#draw(session, missing);
  }

  async #draw(session: ShownSession, lines: number[]): Promise<void> {
    this.#isDrawing = true;
    const generation = this.#generation;
    const expanded = this.#unfolded ? lines : lines.filter((line) => this.#opened.has(line));
    try {
      const drawn = await this.#picker.client.call("entries", session.path, lines, expanded, this.#look);
      if (generation !== this.#generation) return;
      for (const { line, text } of drawn) this.#texts.set(line, text);
    } catch (error) {
      this.#onFailed(session, error);
    } finally {
      this.#isDrawing = false;
      this.#picker.screen.redraw();
    }
  }
}
