import { matchLines } from "./match-lines.ts";
import type { OwnedLine, RecordedWrite } from "./recorded-write.ts";

/** A line of a draft. */
export interface DraftLine {
  text: string;
  /** Its position in the version that the draft began with; -1 for lines of writes. */
  origin: number;
  owner: OwnedLine | undefined;
  /** The write that removed it. Removed lines stay in the draft, because a later write may show that they were put back. */
  removedBy: RecordedWrite | undefined;
  /** Whether what removed or added it was undone, as a later write shows. */
  isUndone: boolean;
}

/** Where a text was found: whole lines, and what of the first and the last one does not belong to it. */
interface Place {
  start: number;
  end: number;
  prefix: string;
  suffix: string;
  /** Whether the text includes the end of the last line. */
  isAtEnd: boolean;
}

/** A version of a file on which writes are replayed in the order of their times. */
export class FileDraft {
  readonly #firstLine: number;
  #lines: readonly DraftLine[];
  #cached: { of: unknown; lines: readonly DraftLine[] } = { of: undefined, lines: [] };

  /** @param firstLine the number of the first line in the file */
  constructor(lines: readonly string[], firstLine = 1) {
    this.#firstLine = firstLine;
    this.#lines = lines.map((text, origin) => ({
      ...{ text, origin, owner: undefined, removedBy: undefined, isUndone: false },
    }));
  }

  /** The lines that the file has now. */
  get current(): readonly DraftLine[] {
    // Writes replace `#lines`, so the filtered lines are kept until then.
    if (this.#cached.of !== this.#lines)
      this.#cached = { of: this.#lines, lines: this.#lines.filter(isCurrent) };
    return this.#cached.lines;
  }

  /** All lines, also removed ones. */
  get all(): readonly DraftLine[] {
    return this.#lines;
  }

  /** Replays a write. @returns false if the draft has no unambiguous place for it; it is unchanged then */
  apply(write: RecordedWrite): boolean {
    const { change } = write;
    switch (change.kind) {
      case "whole":
        this.#replaceAll(write, splitText(change.text));
        return true;
      case "insert":
        return this.#insert(write, change.after, splitText(change.text));
      case "patch":
        return this.#applyHunks(write, change.hunks);
      case "replace":
        return this.#applyReplacements(write, change.edits) || this.#applyHunks(write, write.shown);
    }
  }

  #replaceAll(write: RecordedWrite, after: readonly string[]): void {
    const lines = this.current;
    this.#splice(write, "", lines, after);
  }

  #insert(write: RecordedWrite, after: number, inserted: readonly string[]): boolean {
    const lines = this.current;
    if (after < 0 || after > lines.length) return false;
    const next = lines[after];
    const at = next ? this.#lines.indexOf(next) : this.#lines.length;
    this.#lines = this.#lines.toSpliced(at, 0, ...inserted.map((text, n) => toOwnLine(write, `${n}`, text)));
    return true;
  }

  #applyReplacements(
    write: RecordedWrite,
    edits: readonly { before: string; after: string; everywhere: boolean }[],
  ): boolean {
    const copy = this.#lines;
    for (const [n, edit] of edits.entries()) {
      let places = this.#find(edit.before);
      if (places.length === 0 && this.#restore(edit.before)) places = this.#find(edit.before);
      const [place] = places;
      if (!place || (places.length > 1 && !edit.everywhere)) {
        this.#lines = copy;
        return false;
      }
      const lines = this.current;
      if (places.length > 1) {
        const text = lines.map((line) => `${line.text}\n`).join("");
        this.#splice(write, `${n}`, lines, splitText(text.replaceAll(edit.before, () => edit.after)));
      } else {
        const { start, end, prefix, suffix, isAtEnd } = place;
        const after = `${prefix}${edit.after}${suffix}`;
        this.#splice(write, `${n}`, lines.slice(start, end), isAtEnd ? splitText(after) : after.split("\n"));
      }
    }
    return true;
  }

  #applyHunks(
    write: RecordedWrite,
    hunks: readonly { before: string[]; after: string[]; start?: number }[],
  ): boolean {
    if (hunks.length === 0) return false;
    const copy = this.#lines;
    for (const [n, { before, after, start }] of hunks.entries()) {
      const place = this.#findLines(before, start);
      if (place === undefined) {
        this.#lines = copy;
        return false;
      }
      this.#splice(write, `h${n}`, this.current.slice(place, place + before.length), after);
    }
    return true;
  }

  #find(text: string): Place[] {
    return findText(this.current, text);
  }

  #findLines(before: readonly string[], start: number | undefined): number | undefined {
    const lines = this.current;
    if (before.length === 0) return lines.length === 0 ? 0 : undefined;
    const places: number[] = [];
    for (let n = 0; n + before.length <= lines.length; n++) {
      if (before.every((text, m) => lines[n + m]?.text === text)) places.push(n);
    }
    if (places.length <= 1 || start === undefined) return places.length === 1 ? places[0] : undefined;
    const place = start - this.#firstLine;
    return places.includes(place) ? place : undefined;
  }

  /**
   * Undoes earlier writes in the place where the first version has a text: a successful call found it there, so they were undone by other
   * means.
   *
   * @returns whether there is exactly one such place
   */
  #restore(text: string): boolean {
    const original = this.#lines.filter(({ origin }) => origin >= 0);
    const places = findText(original, text);
    const [place] = places;
    if (!place || places.length > 1) return false;
    const from = this.#lines.indexOf(original[place.start] as DraftLine);
    const to = this.#lines.indexOf(original[Math.max(place.start, place.end - 1)] as DraftLine);
    this.#lines = this.#lines.map((line, n) => {
      if (n < from || n > to) return line;
      if (line.origin >= 0) return { ...line, removedBy: undefined };
      return { ...line, isUndone: true };
    });
    return true;
  }

  /** Replaces current lines, which follow each other, keeping those that are in both. */
  #splice(write: RecordedWrite, id: string, old: readonly DraftLine[], after: readonly string[]): void {
    const matches = matchLines(
      old.map(({ text }) => text),
      after,
    );
    const kept = new Set(matches);
    const [first] = old;
    let at = first ? this.#lines.indexOf(first) : this.#lines.length;
    const added: { before: DraftLine | undefined; line: DraftLine }[] = [];
    for (let n = after.length - 1, next: DraftLine | undefined; n >= 0; n--) {
      const match = matches[n] as number;
      if (match >= 0) next = old[match];
      else added.push({ before: next, line: toOwnLine(write, `${id}:${n}`, after[n] as string) });
    }
    const last = old.at(-1);
    const end = last ? this.#lines.indexOf(last) + 1 : at;
    const insertions = Map.groupBy(added.reverse(), ({ before }) => before);
    const result = this.#lines.slice(0, at);
    for (; at < end; at++) {
      const line = this.#lines[at] as DraftLine;
      for (const { line: own } of insertions.get(line) ?? []) result.push(own);
      const position = old.indexOf(line);
      result.push(position >= 0 && !kept.has(position) ? { ...line, removedBy: write } : line);
    }
    for (const { line: own } of insertions.get(undefined) ?? []) result.push(own);
    this.#lines = [...result, ...this.#lines.slice(end)];
  }
}

function isCurrent({ removedBy, isUndone }: DraftLine): boolean {
  return removedBy === undefined && !isUndone;
}

function toOwnLine(write: RecordedWrite, id: string, text: string): DraftLine {
  return {
    text,
    origin: -1,
    owner: { write, id: `${write.id}:${id}` },
    removedBy: undefined,
    isUndone: false,
  };
}

/** The lines of a text. A trailing line end starts no line. */
export function splitText(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Every place of a text in lines, without overlaps. Compares lines: joining them for each text would take most of the time. */
function findText(lines: readonly { text: string }[], text: string): Place[] {
  const pieces = text.split("\n");
  const places: Place[] = [];
  if (pieces.length === 1) {
    lines.forEach(({ text: line }, start) => {
      for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) {
        const suffix = line.slice(at + text.length);
        places.push({ start, end: start + 1, prefix: line.slice(0, at), suffix, isAtEnd: false });
      }
    });
    return places;
  }
  for (let start = 0; start + pieces.length - 1 <= lines.length; start++) {
    const place = toPlace(lines, start, pieces);
    if (!place) continue;
    places.push(place);
    start += Math.max(0, pieces.length - 2);
  }
  return places;
}

/** The place of a text of several lines that begins in a line. @param pieces the lines; "" at the end if it ends with a line end */
function toPlace(
  lines: readonly { text: string }[],
  start: number,
  pieces: readonly string[],
): Place | undefined {
  const first = (lines[start] as { text: string }).text;
  const [head = "", ...rest] = pieces;
  const tail = rest.pop() ?? "";
  if (!first.endsWith(head) || !rest.every((piece, n) => lines[start + 1 + n]?.text === piece))
    return undefined;
  const last = start + pieces.length - 1;
  const isAtEnd = last === lines.length;
  const lastText = lines[last]?.text ?? "";
  if (!lastText.startsWith(tail)) return undefined;
  return {
    start,
    end: isAtEnd ? last : last + 1,
    prefix: first.slice(0, first.length - head.length),
    suffix: lastText.slice(tail.length),
    isAtEnd,
  };
}
