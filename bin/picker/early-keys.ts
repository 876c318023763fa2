/** Keys that are pressed before the picker takes them. */

/** As shells have it of what Ctrl+C ended; fzf says so, too, when nothing was chosen. */
export const NOTHING_CHOSEN = 130;

const CTRL_C = 0x03;

/**
 * Keeps what is typed until the picker reads it. The terminal is raw by then, so Ctrl+C is a key like any other, and nothing
 * else would end a process that waits for the index.
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

  /** Gives what was typed back to stdin, for whoever reads it next. */
  end(): void {
    this.#stdin.off("data", this.#keep).pause();
    if (this.#chunks.length > 0) this.#stdin.unshift(Buffer.concat(this.#chunks.splice(0)));
  }
}
