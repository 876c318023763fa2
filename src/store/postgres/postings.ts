/**
 * Postings: where a word occurs in some lines of a file, as bytes. First, for each line: its distance from the line before it, the parts of
 * the entry that contain the word, and how often each does. Then, for the same lines and parts, the positions of the word, as distances
 * too. Searches without phrases read only the first half. All numbers are LEB128.
 */

import { splitPrepared } from "../words/split-prepared.ts";

/** The parts of an entry's text, prepared for the index. Their numbers are part of stored postings. */
export const PARTS = ["output", "called", "thought", "said"] as const;
export type PreparedTexts = Record<(typeof PARTS)[number], string>;

/** A word in some lines of a file that have the same day. */
export interface Posting {
  word: string;
  /** Days since 1970. */
  day: number;
  firstLine: number;
  /** Number of lines. */
  lines: number;
  places: Buffer;
}

/** Collects the postings of consecutive lines of a file. */
export class PostingCollector {
  readonly #open = new Map<string, OpenPosting>();
  readonly #postings: Posting[] = [];

  /** Adds an entry. @returns its number of words */
  add(line: number, day: number, texts: PreparedTexts): number {
    let total = 0;
    PARTS.forEach((name, part) => {
      let position = 0;
      splitPrepared(texts[name], (word) => {
        this.#openAt(word, line, day).add(line, part, position++);
      });
      total += position;
    });
    return total;
  }

  /** Returns the postings in order of word, day and line. */
  finish(): Posting[] {
    for (const [word, open] of this.#open) this.#postings.push(open.close(word));
    this.#open.clear();
    return this.#postings.sort(comparePostings);
  }

  #openAt(word: string, line: number, day: number): OpenPosting {
    const open = this.#open.get(word);
    if (open?.day === day) return open;
    if (open) this.#postings.push(open.close(word));
    const next = new OpenPosting(line, day);
    this.#open.set(word, next);
    return next;
  }
}

class OpenPosting {
  readonly day: number;
  readonly #firstLine: number;
  readonly #heads: number[] = [];
  readonly #positions: number[] = [];
  #lines = 0;
  #previousLine: number;
  #line: number;
  readonly #counts = PARTS.map(() => 0);
  #part = -1;
  #previousPosition = 0;

  constructor(line: number, day: number) {
    this.day = day;
    this.#firstLine = line;
    this.#previousLine = line;
    this.#line = line;
  }

  add(line: number, part: number, position: number): void {
    if (line !== this.#line) this.#endLine(line);
    if (part !== this.#part) {
      this.#part = part;
      this.#previousPosition = 0;
    }
    (this.#counts[part] as number)++;
    writeNumber(this.#positions, position - this.#previousPosition);
    this.#previousPosition = position;
  }

  close(word: string): Posting {
    this.#endLine(this.#line);
    const start: number[] = [];
    writeNumber(start, this.#heads.length);
    const places = Buffer.from([...start, ...this.#heads, ...this.#positions]);
    return { word, day: this.day, firstLine: this.#firstLine, lines: this.#lines, places };
  }

  #endLine(next: number): void {
    writeNumber(this.#heads, this.#line - this.#previousLine);
    let parts = 0;
    for (const [part, count] of this.#counts.entries()) if (count > 0) parts |= 1 << part;
    writeNumber(this.#heads, parts);
    for (const count of this.#counts) if (count > 0) writeNumber(this.#heads, count);
    this.#counts.fill(0);
    this.#lines++;
    this.#previousLine = this.#line;
    this.#line = next;
    this.#part = -1;
  }
}

/** Nearly the order of the primary key, in which inserting is fastest: PostgreSQL compares words by bytes. */
function comparePostings(a: Posting, b: Posting): number {
  if (a.word !== b.word) return a.word < b.word ? -1 : 1;
  return a.day - b.day || a.firstLine - b.firstLine;
}

/** The lines of a posting in order, and how often each part of these entries contains the word. */
export interface PostingLines {
  lines: Int32Array;
  /** For each line, one number for each of `PARTS`. */
  counts: Int32Array;
}

/** Decodes the first half of a posting. In typed arrays, because a search decodes a million lines. */
export function readLines({
  firstLine,
  lines: length,
  places,
}: Pick<Posting, "firstLine" | "lines" | "places">): PostingLines {
  const bytes = new NumberReader(places);
  bytes.next();
  const lines = new Int32Array(length);
  const counts = new Int32Array(length * PARTS.length);
  let line = firstLine;
  for (let n = 0; n < length; n++) {
    line += bytes.next();
    lines[n] = line;
    const parts = bytes.next();
    for (let part = 0; part < PARTS.length; part++) {
      if ((parts >> part) & 1) counts[n * PARTS.length + part] = bytes.next();
    }
  }
  return { lines, counts };
}

/** Positions of a word in the lines of a posting, in order of line and part. */
export interface PostingPositions {
  positions: Int32Array;
  /** For each line and part, where its positions start; and their number in total. */
  starts: Int32Array;
}

/** Decodes the second half of a posting. @param counts of its lines */
export function readPositions(places: Buffer, counts: Int32Array): PostingPositions {
  const heads = new NumberReader(places);
  const length = heads.next();
  const bytes = new NumberReader(places, heads.at + length);
  const starts = new Int32Array(counts.length + 1);
  for (let n = 0; n < counts.length; n++) starts[n + 1] = (starts[n] as number) + (counts[n] as number);
  const positions = new Int32Array(starts[counts.length] as number);
  for (let n = 0; n < counts.length; n++) {
    let position = 0;
    for (let at = starts[n] as number; at < (starts[n + 1] as number); at++) {
      position += bytes.next();
      positions[at] = position;
    }
  }
  return { positions, starts };
}

function writeNumber(bytes: number[], number: number): void {
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
}

class NumberReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at++] as number;
      number += (byte & 127) * scale;
      if (byte < 128) return number;
    }
  }
}
