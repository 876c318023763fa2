import { closeSync, constants, openSync } from "node:fs";
import { toShownValue } from "../../indexer/verify/differences.ts";
import type { Difference } from "../../indexer/verify/verify-answer.ts";
import { encodePath } from "../../src/path-bytes.ts";
import { MAX_LINE_BYTES, NEWLINE, readAt } from "../../src/session/lines.ts";
import type { Database } from "../../src/store/sqlite/open.ts";

/** A row's location of its entry's line. */
export interface IndexedLine {
  line: number;
  byteOffset: number;
  byteLength: number;
  entryId: unknown;
  parentId: unknown;
  type: unknown;
}

/** The file row of the lines. */
export interface IndexedFile {
  path: string;
  size: number;
  cursor: number;
  lines: number;
  version: number;
}

/** The indexed files, each with its line rows. */
export function indexedLines(db: Database): { file: IndexedFile; rows: IndexedLine[] }[] {
  const files = db.writer
    .prepare<[], IndexedFile & { id: number }>("SELECT * FROM file WHERE header = 'found'")
    .all();
  const lines = db.writer.prepare<[number], IndexedLine>(
    `SELECT line, byte_offset AS byteOffset, byte_length AS byteLength, entry_id AS entryId, parent_id AS parentId, type
     FROM entry WHERE file_id = ? ORDER BY line`,
  );
  return files.map((file) => ({ file, rows: lines.all(file.id) }));
}

/**
 * Checks rows against the bytes of the file, without pidex's own reader, whose faults would affect both. Each row must refer to
 * one complete line, with the line number, id, parent and type of the row, and no entry may be missing between the rows.
 *
 * @throws the error of `fs` if the file cannot be read
 */
export function* checkLines(file: IndexedFile, rows: Iterable<IndexedLine>): Generator<Difference> {
  const { path, cursor } = file;
  const fd = openSync(encodePath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const between = new Between(fd);
    let at = 0;
    let lines = 0;
    for (const row of rows) {
      const { byteOffset, byteLength, line } = row;
      const place = { path, table: "entry", line, byteOffset };
      if (byteOffset < at || byteOffset + byteLength > cursor) {
        yield { ...place, what: "differs", column: "byte_offset", indexed: byteOffset, expected: at };
        return;
      }
      yield* missing(path, between.look(at, byteOffset, lines));
      lines += between.lines + 1;
      const wrong = between.isWhole ? findDifference(fd, row, lines, file.version) : NO_LINE(byteOffset);
      for (const difference of wrong) yield { ...place, what: "differs", ...difference };
      at = Math.min(cursor, byteOffset + byteLength + 1); // the last line may have no newline
    }
    yield* missing(path, between.look(at, cursor, lines));
    lines += between.lines;
    if (lines !== file.lines) {
      yield { path, table: "file", what: "differs", column: "lines", indexed: file.lines, expected: lines };
    }
    // The unread rest is the start of one line.
    yield* missing(path, between.look(cursor, file.size, lines));
    if (between.lines > 1) yield { path, table: "file", what: "differs", column: "cursor", indexed: cursor };
  } finally {
    closeSync(fd);
  }
}

type Wrong = Pick<Difference, "column" | "indexed" | "expected">;

const NO_LINE = (byteOffset: number): Wrong[] => [{ column: "byte_offset", indexed: byteOffset }];

function* missing(
  path: string,
  places: Iterable<{ line: number; byteOffset: number }>,
): Generator<Difference> {
  for (const place of places) yield { path, table: "entry", ...place, what: "missing" };
}

/** Checks a row against the bytes it refers to. */
function findDifference(fd: number, row: IndexedLine, line: number, version: number): Wrong[] {
  if (row.line !== line) return [{ column: "line", indexed: row.line, expected: line }];
  const { byteOffset, byteLength } = row;
  if (byteLength > MAX_LINE_BYTES) {
    const [after] = readAt(fd, byteOffset + byteLength, 1);
    return after === NEWLINE ? [] : [{ column: "byte_length", indexed: byteLength }];
  }
  const bytes = readAt(fd, byteOffset, byteLength + 1);
  const newline = bytes.indexOf(NEWLINE);
  const length = newline < 0 ? bytes.length : newline;
  if (length !== byteLength) return [{ column: "byte_length", indexed: byteLength, expected: length }];
  const entry = objectIn(bytes.subarray(0, length));
  if (!entry) return [{ column: "byte_offset", indexed: byteOffset }];
  const expected: [string, unknown, unknown][] = [
    ["type", row.type, typeof entry.type === "string" ? entry.type.toWellFormed() : ""],
  ];
  // Version 1 has no ids: they follow from the order of the lines.
  if (version > 1) expected.push(["entry_id", row.entryId, idOf(entry.id)]);
  if (version > 1) expected.push(["parent_id", row.parentId, idOf(entry.parentId)]);
  return expected
    .filter(([, indexed, expected]) => indexed !== expected)
    .map(([column, indexed, expected]) => ({
      column,
      indexed: toShownValue(indexed),
      expected: toShownValue(expected),
    }));
}

/** An id as stored in a row. */
function idOf(id: unknown): string | number | null {
  if (typeof id === "string") return id.toWellFormed();
  return typeof id === "number" && Number.isFinite(id) ? id : null;
}

function objectIn(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const CHUNK_BYTES = 1 << 20;

/** Scans the bytes between rows: the header, blank lines, lines that are not JSON. */
class Between {
  /** Number of newlines in the last scan. */
  lines = 0;
  /** Whether the last scan ended at the end of a line. */
  isWhole = true;
  readonly #fd: number;
  #hasHeader = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Yields entries in the bytes after a number of lines, which should have rows. */
  *look(start: number, end: number, linesBefore: number): Generator<{ line: number; byteOffset: number }> {
    this.lines = 0;
    this.isWhole = true;
    let from = start; // start of the current line
    let buffered: Buffer[] = []; // bytes of the current line
    let size = 0;
    for (let at = start; at < end; ) {
      const chunk = readAt(this.#fd, at, Math.min(CHUNK_BYTES, end - at));
      if (chunk.length === 0) break;
      let cut = 0;
      for (let newline = chunk.indexOf(NEWLINE); newline >= 0; newline = chunk.indexOf(NEWLINE, cut)) {
        buffered.push(chunk.subarray(cut, newline));
        size += newline - cut;
        if (this.#isEntry(buffered, size)) yield { line: linesBefore + this.lines + 1, byteOffset: from };
        this.lines++;
        cut = newline + 1;
        from = at + cut;
        buffered = [];
        size = 0;
      }
      if (size <= MAX_LINE_BYTES) buffered.push(chunk.subarray(cut));
      size += chunk.length - cut;
      at += chunk.length;
    }
    this.isWhole = size === 0;
    // The header may be the only line, without a newline yet.
    if (size > 0) this.lines++;
    if (size > 0 && this.#isEntry(buffered, size)) {
      yield { line: linesBefore + this.lines, byteOffset: from };
    }
  }

  #isEntry(buffered: readonly Buffer[], size: number): boolean {
    if (size > MAX_LINE_BYTES) return false; // only the first fields of such a line are known
    const object = objectIn(withoutMark(Buffer.concat(buffered)));
    if (object?.type === "session") this.#hasHeader = true;
    return object !== undefined && object.type !== "session" && this.#hasHeader;
  }
}

/** The bytes after a byte order mark, which some editors write before the header. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
