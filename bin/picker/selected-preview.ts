/** Loads the preview of the selected session, where it will be drawn. */
import type { PickerContext } from "./context.ts";
import { computeLayout, countBodyRows } from "./frames/layout.ts";
import { previewTextSize } from "./frames/preview-frame.ts";
import { getSelectedRow } from "./model/state.ts";
import type { ShownSession } from "./model/view.ts";
import type { Preview } from "./preview.ts";

/** Delay between selecting a session and loading its preview, in milliseconds. */
const DELAY_MS = 20;
/** The same while typing, when the next key is likely to select another session. */
const TYPING_DELAY_MS = 150;

const NO_HITS = { hits: [], hitCount: 0 };

export class SelectedPreview {
  readonly #picker: PickerContext;
  readonly #preview: Preview;
  #timer: NodeJS.Timeout | undefined;

  constructor(picker: PickerContext, preview: Preview) {
    this.#picker = picker;
    this.#preview = preview;
  }

  /** Loads the preview now, if previews are shown beside the list. */
  load(): void {
    const row = getSelectedRow(this.#picker.state);
    if (row && this.#isShown) this.read(row.session);
  }

  /** Loads the preview after a delay, if previews are shown beside the list. */
  loadLater({ isTyping = false } = {}): void {
    clearTimeout(this.#timer);
    if (!this.#isShown) return;
    this.#timer = setTimeout(
      () => {
        const { state, screen } = this.#picker;
        const row = getSelectedRow(state);
        if (row && state.mode === "list") this.read(row.session);
        screen.redraw();
      },
      isTyping ? TYPING_DELAY_MS : DELAY_MS,
    );
  }

  close(): void {
    this.#preview.close();
    clearTimeout(this.#timer);
  }

  get #isShown(): boolean {
    const { screen, settings } = this.#picker;
    return computeLayout(screen.size, settings.preview).preview !== undefined;
  }

  /** Shows a session, at its best hit. */
  read(session: ShownSession): void {
    const { state } = this.#picker;
    const row = getSelectedRow(state);
    this.#setPane(session);
    this.#preview.show(session, state.results.view, row?.session === session ? row : NO_HITS);
  }

  /** Shows a session at an entry. */
  readAt(session: ShownSession, line: number): void {
    this.#setPane(session);
    this.#preview.show(session, this.#picker.state.view, NO_HITS, line);
  }

  /** Prepares the preview for where it will be drawn. */
  #setPane(session: ShownSession): void {
    const { state, screen, settings } = this.#picker;
    const { size } = screen;
    const { preview } = computeLayout(size, settings.preview);
    const isInList = state.mode === "list";
    const whole = { columns: size.columns, rows: countBodyRows(size) };
    this.#preview.setPane(isInList && preview ? previewTextSize(session, preview) : whole, isInList);
  }
}
