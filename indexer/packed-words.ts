import type { TextPart } from "../src/session/text.ts";

/** The words of some entries in a row, in one piece of memory that goes from thread to thread without being copied. */
export interface PackedWords {
  /** UTF-8, which is what SQLite takes: no text is made of it again. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Of each entry the lengths of its parts in bytes, in the order of `PARTS`; all 0 when it has no words. */
  lengths: number[];
}

/** Words of an entry as they are in the index: text, or its UTF-8. */
export type Words = Record<TextPart, string | Uint8Array>;

const PARTS: readonly TextPart[] = ["output", "called", "thought", "said"];
const FIRST_BYTES = 1 << 20;
/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
const MOST_BYTES = 3;

export class WordPacker {
  #bytes = Buffer.from(new ArrayBuffer(FIRST_BYTES));
  #filled = 0;
  #lengths: number[] = [];

  /** Takes the words of the next entry; null when it has none. */
  add(words: Words | null): void {
    for (const part of PARTS) this.#lengths.push(words ? this.#write(words[part]) : 0);
  }

  /** What was added since the last time. */
  take(): PackedWords {
    const packed = {
      bytes: new Uint8Array(this.#bytes.buffer.transfer(this.#filled)), // without what is free at its end
      lengths: this.#lengths,
    };
    this.#bytes = Buffer.from(new ArrayBuffer(FIRST_BYTES));
    this.#filled = 0;
    this.#lengths = [];
    return packed;
  }

  #write(text: string | Uint8Array): number {
    const needed = this.#filled + text.length * MOST_BYTES;
    if (needed > this.#bytes.length) {
      this.#bytes = Buffer.from(this.#bytes.buffer.transfer(Math.max(needed, this.#bytes.length * 2)));
    }
    const length = typeof text === "string" ? this.#bytes.write(text, this.#filled, "utf8") : text.length;
    if (typeof text !== "string") this.#bytes.set(text, this.#filled);
    this.#filled += length;
    return length;
  }
}

/** The words of each entry, null of those that have none: they lie in the packed memory. */
export function* unpackWords({ bytes, lengths }: PackedWords): Generator<Words | null> {
  let at = 0;
  for (let n = 0; n < lengths.length; n += PARTS.length) {
    const start = at;
    const words: Words = { said: "", thought: "", called: "", output: "" };
    PARTS.forEach((part, i) => {
      const length = lengths[n + i] as number;
      if (length > 0) words[part] = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
      at += length;
    });
    yield at > start ? words : null;
  }
}
