/** The picker's screen, parsed from its output with less work than a terminal emulator. */
export class PickerScreen {
  readonly #rows: string[] = [];
  readonly #rowCount: number;
  /** The row being written, from 1; 0 between frames. */
  #row = 0;
  #unparsed = "";
  /** Whether frames have an end mark. */
  #hasEndMarks = false;

  /** @param rows of the terminal */
  constructor(rows: number) {
    this.#rowCount = rows;
  }

  /**
   * Parses a chunk of output, which may end anywhere.
   *
   * @param onFrame called after each complete frame
   */
  write(bytes: string, onFrame: () => void): void {
    this.#unparsed += bytes;
    let end = 0;
    for (const mark of this.#unparsed.matchAll(ROW_OR_FRAME_MARK)) {
      if (this.#row > 0) this.#rows[this.#row] = this.#unparsed.slice(end, mark.index);
      end = mark.index + mark[0].length;
      const [, row, frameMark] = mark;
      this.#row = Number(row ?? 0);
      this.#hasEndMarks ||= frameMark === "h";
      // Frames drawn before pi-tui is loaded have no end mark; their last row is blank.
      if (frameMark === "l" || (!this.#hasEndMarks && this.#row === this.#rowCount)) onFrame();
    }
    this.#unparsed = this.#unparsed.slice(end);
  }

  /** A row's text, from 1. */
  text(row: number): string {
    return (this.#rows[row] ?? "").replace(ESCAPE_SEQUENCE, "");
  }

  /** Whether the heading indicates outstanding results. */
  get isPending(): boolean {
    return this.#rows[HEADING_ROW] === undefined || this.text(HEADING_ROW).includes("…");
  }

  /** The typed text, including spaces; undefined without an input line. */
  get typed(): string | undefined {
    return TYPED_TEXT.exec(this.#rows[INPUT_ROW] ?? "")?.[1];
  }
}

export const HEADING_ROW = 1;
const INPUT_ROW = 2;
export const RULE_ROW = 3;
export const FIRST_SESSION_ROW = 4;

/** Each row starts with a cursor movement, and pi-tui marks the start and end of a frame. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
const ROW_OR_FRAME_MARK = /\x1b\[(?:(\d+);1H|\?2026([hl]))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
/** The typed text, which ends at the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
const TYPED_TEXT = /^(?:\x1b\[2K)?› (.*?)\x1b\[7m/;
