/** A segment of prepared text, from `at`, and the range of the text that it comes from, from `start` to `end`. */
export interface Segment {
  at: number;
  length: number;
  start: number;
  end: number;
}

export type SegmentCallback = (piece: Segment) => void;

/** Builds prepared text. Unchanged spans of the text are copied. */
export class PreparedTextWriter {
  readonly traced: boolean;
  readonly #text: string;
  readonly #trace: SegmentCallback | undefined;
  #prepared = "";
  #copied = 0; // everything before this is in `#prepared`

  constructor(text: string, trace: SegmentCallback | undefined) {
    this.traced = trace !== undefined;
    this.#text = text;
    this.#trace = trace;
  }

  /** Writes words in place of a range of the text. Positions in `pieces` are relative to the start of the words. */
  put(words: string, start: number, end: number, pieces?: readonly Segment[]): void {
    this.#copyUntil(start);
    const at = this.#prepared.length;
    if (this.#trace) {
      for (const piece of pieces ?? [{ at: 0, length: words.length, start, end }]) {
        this.#trace({ ...piece, at: at + piece.at });
      }
    }
    this.#prepared += words;
    this.#copied = end;
  }

  /** Writes a space in place of a range of the text, which may be empty. */
  gap(start: number, end: number): void {
    this.#copyUntil(start);
    this.#prepared += " ";
    this.#copied = end;
  }

  done(): string {
    if (this.#copied === 0 && !this.#trace) return this.#text;
    this.#copyUntil(this.#text.length);
    return this.#prepared;
  }

  #copyUntil(end: number): void {
    const start = this.#copied;
    if (end <= start) return;
    this.#trace?.({ at: this.#prepared.length, length: end - start, start, end });
    this.#prepared += this.#text.slice(start, end);
    this.#copied = end;
  }
}
