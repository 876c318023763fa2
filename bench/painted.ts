/** What the picker has painted, from the bytes that it wrote: less work than a terminal would have with them. */
export class Painted {
  readonly #rows: string[] = [];
  readonly #last: number;
  /** The row that is being written, from 1; 0 between frames. */
  #row = 0;
  #rest = "";
  /** Whether frames tell where they end. */
  #hasEnd = false;

  /** @param rows of the terminal */
  constructor(rows: number) {
    this.#last = rows;
  }

  /**
   * Takes what came, which may end anywhere.
   *
   * @param whole called at the end of each frame, when all rows are of one moment
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
      // What is drawn before pi-tui is there has no mark at its end; its last row is blank.
      if (begins === "l" || (!this.#hasEnd && this.#row === this.#last)) whole();
    }
    this.#rest = this.#rest.slice(end);
  }

  /** A row's text, from 1. */
  text(row: number): string {
    return (this.#rows[row] ?? "").replace(SEQUENCE, "");
  }

  /** Whether an answer is outstanding: the heading says so. */
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

/** Each row begins with going there, and pi-tui tells terminals when a frame is whole. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ROW_OR_END = /\x1b\[(?:(\d+);1H|\?2026([hl]))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
/** Up to the cursor, which is behind what is typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const TYPED = /^(?:\x1b\[2K)?› (.*?)\x1b\[7m/;
