/** Buffers keys that are pressed before the picker reads them. */

/** Exit code when no session was selected: as after Ctrl+C in shells, and in fzf. */
export const CANCELLED_EXIT_CODE = 130;

const CTRL_C = 0x03;

/**
 * Buffers typed keys until the picker reads them. Handles Ctrl+C, which in raw mode sends no signal: otherwise users could not quit
 * while the process waits for the index.
 */
export class EarlyKeys {
  readonly #stdin = process.stdin;
  readonly #chunks: Buffer[] = [];
  readonly #keep = (chunk: Buffer) => {
    if (chunk.includes(CTRL_C)) this.#leave();
    this.#chunks.push(chunk);
  };
  readonly #leave: () => void;

  /** @param leave called when Ctrl+C is pressed */
  constructor(leave: () => void) {
    this.#leave = leave;
    this.#stdin.on("data", this.#keep);
  }

  /** Returns the buffered keys to stdin for the next reader. */
  restore(): void {
    this.#stdin.off("data", this.#keep).pause();
    if (this.#chunks.length > 0) this.#stdin.unshift(Buffer.concat(this.#chunks.splice(0)));
  }
}
