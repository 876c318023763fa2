/** Parses the picker's screen from its output, with less work than a terminal emulator. */
export class Painted {
  readonly #rows: string[] = [];
  readonly #last: number;
  /** The row being written, from 1; 0 between frames. */
  #row = 0;
  #rest = "";
  /** Whether frames have a mark at their end. */
  #hasEnd = false;

  /** @param rows of the terminal */
  constructor(rows: number) {
    this.#last = rows;
  }

  /**
   * Parses a chunk of output, which may end anywhere.
   *
   * @param whole called at the end of each frame, when all rows belong together
   */
  take(bytes: string, whole: () => void): void {
    this.#rest += bytes;
    let end = 0;
    for (const mark of this.#rest.matchAll(ROW_OR_END)) {
      if (this.#row > 0) this.#rows[this.#row] = this.#rest.slice(end, mark.index);
      end = mark.index + mark[0].length;
      const [, row, begins] = mark;
      this.#row = Number(row ?? 0);
      this.#hasEnd ||= begins === "h";
      // Frames drawn before pi-tui is loaded have no end mark; their last row is blank.
      if (begins === "l" || (!this.#hasEnd && this.#row === this.#last)) whole();
    }
    this.#rest = this.#rest.slice(end);
  }

  /** A row's text, from 1. */
  text(row: number): string {
    return (this.#rows[row] ?? "").replace(SEQUENCE, "");
  }

  /** Whether the heading indicates outstanding results. */
  get isBehind(): boolean {
    return this.#rows[HEADING] === undefined || this.text(HEADING).includes("…");
  }

  /** The typed text with spaces; undefined while there is no input line. */
  get typed(): string | undefined {
    return TYPED.exec(this.#rows[INPUT] ?? "")?.[1];
  }
}

export const HEADING = 1;
const INPUT = 2;
export const RULE = 3;
export const FIRST_SESSION = 4;

/** Each row starts with a cursor movement, and pi-tui marks the end of a frame. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ROW_OR_END = /\x1b\[(?:(\d+);1H|\?2026([hl]))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
/** The typed text, which ends at the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const TYPED = /^(?:\x1b\[2K)?› (.*?)\x1b\[7m/;
