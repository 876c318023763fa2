import type { Part, RowsPart, WordsPart } from "./file-parts.ts";
import { entryPacker, memoryOf, type PackedEntries, unpackEntries } from "./packed-entries.ts";
import { type PackedWords, unpackWords, WordPacker } from "./packed-words.ts";

/** Parts of files on their way from thread to thread: what they have most of is packed, for all of them together. */
export interface PackedParts {
  /** Where they had entries, and words, the number of them. */
  parts: BarePart[];
  entries: PackedEntries;
  words: PackedWords;
}

type BarePart =
  | (Omit<RowsPart, "chunk"> & { chunk: Omit<RowsPart["chunk"], "entries"> & { entries: number } })
  | (Omit<WordsPart, "words"> & { words: number })
  | Exclude<Part, RowsPart | WordsPart>;

/**
 * Packs parts as they come: what was read of them is garbage then, while it is young. With each of them apart there would be
 * thousands of pieces of memory where files are small.
 */
export class PartPacker {
  readonly #entries = entryPacker();
  readonly #words = new WordPacker();
  #parts: BarePart[] = [];

  get size(): number {
    return this.#parts.length;
  }

  add(part: Part): void {
    if ("chunk" in part) {
      const entries = addAll(part.chunk.entries, this.#entries);
      this.#parts.push({ ...part, chunk: { ...part.chunk, entries } });
    } else if ("words" in part) this.#parts.push({ ...part, words: addAll(part.words, this.#words) });
    else this.#parts.push(part);
  }

  /** What was added since the last time. */
  take(): PackedParts {
    const parts = this.#parts;
    this.#parts = [];
    return { parts, entries: this.#entries.take(), words: this.#words.take() };
  }
}

/** @returns how many there were */
function addAll<T>(items: Iterable<T>, packer: { add: (item: T) => void }): number {
  let count = 0;
  for (const item of items) {
    packer.add(item);
    count++;
  }
  return count;
}

/** The memory of packed parts that can be moved from thread to thread, and need not be copied. */
export function memoryOfParts({ entries, words }: Omit<PackedParts, "parts">): ArrayBuffer[] {
  return [...memoryOf(entries), words.bytes.buffer];
}

/** The parts that were packed. What is not taken of one is passed over with the next; once all were taken, their memory is gone. */
export function* unpackParts({ parts, ...packed }: PackedParts): Generator<Part> {
  const entries = unpackEntries(packed.entries);
  const words = unpackWords(packed.words);
  try {
    for (const part of parts) {
      if ("chunk" in part) {
        const theirs = some(entries, part.chunk.entries);
        yield { ...part, chunk: { ...part.chunk, entries: theirs } };
        passOver(theirs);
      } else if ("words" in part) {
        const theirs = some(words, part.words);
        yield { ...part, words: theirs };
        passOver(theirs);
      } else yield part;
    }
  } finally {
    // The collector of garbage does not hurry for what lies outside its own memory.
    for (const memory of memoryOfParts(packed)) memory.transfer(0);
  }
}

/** So many of what comes; however few of them are taken, the rest is passed over. */
function* some<T>(all: Iterator<T>, count: number): Generator<T> {
  let left = count;
  try {
    while (left > 0) {
      left--;
      yield all.next().value as T;
    }
  } finally {
    for (; left > 0; left--) all.next();
  }
}

function passOver(rest: Iterable<unknown>): void {
  for (const _ of rest);
}
