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

/** A line that contains a word. */
export interface PostingLine {
  line: number;
  /** By part, how often it contains the word. */
  counts: number[];
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

/** The lines of a posting, in order. */
export function readLines({
  firstLine,
  lines,
  places,
}: Pick<Posting, "firstLine" | "lines" | "places">): PostingLine[] {
  const bytes = new NumberReader(places);
  bytes.next();
  let line = firstLine;
  return Array.from({ length: lines }, () => {
    line += bytes.next();
    return { line, counts: readCounts(bytes) };
  });
}

/** For each line of a posting, the positions of the word by part. */
export function readPositions({ lines, places }: Pick<Posting, "lines" | "places">): number[][][] {
  const heads = new NumberReader(places);
  const length = heads.next();
  const positions = new NumberReader(places, heads.at + length);
  return Array.from({ length: lines }, () => {
    heads.next();
    return readCounts(heads).map((count) => {
      let position = 0;
      return Array.from({ length: count }, () => {
        position += positions.next();
        return position;
      });
    });
  });
}

function readCounts(bytes: NumberReader): number[] {
  const parts = bytes.next();
  return PARTS.map((_, part) => ((parts >> part) & 1 ? bytes.next() : 0));
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
