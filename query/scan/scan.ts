import { fstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { PidexError } from "../../src/errors.ts";
import { MAX_LINE_BYTES, readAt } from "../../src/session/lines.ts";
import { parseEntry } from "../../src/session/parse.ts";
import { type EntryText, entryText, PARTS, type TextPart } from "../../src/session/text.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { Range } from "../../src/store/sqlite/tokens.ts";
import type { Snippet } from "../answers.ts";
import type { ScanPattern } from "../options.ts";
import { ReadBack } from "../read-back.ts";
import type { Scope } from "../scope.ts";
import { cutAround } from "../snippet/cut-around.ts";
import { candidateLines } from "./candidates.ts";
import { compilePattern, type TextPattern } from "./pattern.ts";
import { linePattern } from "./prefilter.ts";
import {
  filesToScan,
  lastRow,
  type ScanConditions,
  type ScanFile,
  type ScanRow,
  wantedRows,
} from "./scan-rows.ts";

export interface ScanEntriesOptions extends ScanConditions {
  /** Ends the scan, within the work of one chunk of a file. */
  signal?: AbortSignal;
  onProgress?: (progress: ScanProgress) => void;
  /** Told of a file that is no longer what was indexed, or cannot be read: hits of its may be missing. */
  onChangedFile?: (path: string) => void;
}

/** How far a scan is. */
export interface ScanProgress {
  files: number;
  filesDone: number;
  /** Bytes to look through: of the files, or of the entries that are asked for. */
  bytes: number;
  bytesDone: number;
  hits: number;
}

/** An entry in whose text the pattern stands. */
export interface Found {
  /** The id of its row. */
  id: number;
  /** The part that the snippet is of: the first with a match, in the order of `PARTS`. */
  part: TextPart;
  snippet: Snippet;
  /** Matches in all parts; of each part at most `MAX_COUNTED` are counted. */
  matchCount: number;
}

/** What it costs to read one entry by itself, as bytes that could be looked through meanwhile. */
const COST_OF_ROW = 4096;

/** How long the scan keeps the process to itself. */
const PAUSE_EVERY_MS = 10;

/**
 * Looks for a pattern in the texts of entries as the session files hold them, whole, part by part. Exact where
 * the full-text index is not: signs, middles of words, text beyond the index's caps. Reads the files, those of
 * the newest sessions first, and yields hits in file order as it finds them.
 *
 * Reads up to where the files are indexed. A file that changed since is left out from there on, and named to
 * `onChangedFile`.
 *
 * @throws PidexError `BAD_QUERY`, and the signal's reason when aborted
 */
export async function* scanEntries(
  db: Reader,
  scope: Scope,
  pattern: ScanPattern,
  options: ScanEntriesOptions = {},
): AsyncGenerator<Found, void> {
  const asked = await compilePattern(pattern);
  options.signal?.throwIfAborted();
  const files = await filesToScan(db, scope, options);
  yield* new Scan(db, asked, files, options).run();
}

class Scan {
  readonly #db: Reader;
  readonly #pattern: TextPattern;
  /** What is in every line that can hold a match; undefined when any line can. */
  readonly #inLine: RegExp | undefined;
  readonly #files: readonly ScanFile[];
  readonly #options: ScanEntriesOptions;
  readonly #progress: ScanProgress;
  #lastPause = performance.now();

  constructor(db: Reader, pattern: TextPattern, files: readonly ScanFile[], options: ScanEntriesOptions) {
    this.#db = db;
    this.#pattern = pattern;
    this.#inLine = pattern.required && linePattern(pattern.required, pattern.caseSensitive);
    this.#files = files;
    this.#options = options;
    const bytes = files.reduce((sum, file) => sum + this.#bytesToRead(file), 0);
    this.#progress = { files: files.length, filesDone: 0, bytes, bytesDone: 0, hits: 0 };
  }

  async *run(): AsyncGenerator<Found, void> {
    const { signal, onChangedFile } = this.#options;
    let bytesDone = 0;
    this.#tell();
    for (const file of this.#files) {
      try {
        for await (const hit of this.#file(file)) {
          this.#progress.hits++;
          yield hit;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!isAboutFile(error)) throw error;
        onChangedFile?.(file.path);
      }
      bytesDone += this.#bytesToRead(file);
      this.#progress.bytesDone = bytesDone;
      this.#progress.filesDone++;
      this.#tell();
      await this.#pause();
    }
  }

  async *#file(file: ScanFile): AsyncGenerator<Found> {
    const readBack = new ReadBack(file.path, file.version);
    try {
      const { fd } = readBack;
      await this.#verify(file, readBack);
      for await (const row of this.#byRows(file) ? this.#rows(fd, file) : this.#lines(fd, file)) {
        const hit = hitOf(row.id, entryText(readBack.entry(row, parseEntry)), this.#pattern);
        if (hit) yield hit;
      }
    } finally {
      readBack.close();
    }
  }

  /** Refuses a file whose rows no longer fit; one that only grew is as good as it was. */
  async #verify(file: ScanFile, readBack: ReadBack): Promise<void> {
    const stat = fstatSync(readBack.fd, { bigint: true });
    const [mtime, ctime] = [String(stat.mtimeNs), String(stat.ctimeNs)];
    if (Number(stat.size) === file.size && mtime === file.mtime_ns && ctime === file.ctime_ns) return;
    if (!stat.isFile() || stat.size < file.cursor) throw changed(file.path);
    const last = await lastRow(this.#db, file.id);
    if (last) readBack.entry(last, parseEntry);
  }

  /** Whether the entries asked for are read one by one: they are few, or cannot be told from other lines. */
  #byRows({ wanted, wantedBytes, wantedCount, cursor }: ScanFile): boolean {
    return !this.#inLine || (wanted !== null && wantedBytes + wantedCount * COST_OF_ROW < cursor);
  }

  #bytesToRead(file: ScanFile): number {
    return this.#byRows(file) ? file.wantedBytes : file.cursor;
  }

  /** The rows whose lines may hold a match, each line looked at by itself. */
  async *#rows(fd: number, file: ScanFile): AsyncGenerator<ScanRow> {
    for await (const page of wantedRows(this.#db, file)) {
      for (const row of page) {
        if (this.#mayHold(fd, row)) yield row;
        this.#progress.bytesDone += row.byte_length;
        await this.#pause();
      }
    }
  }

  #mayHold(fd: number, { byte_offset: offset, byte_length: length }: ScanRow): boolean {
    if (!this.#inLine) return true;
    if (length > MAX_LINE_BYTES) return false; // no text is read of it
    this.#inLine.lastIndex = 0;
    return this.#inLine.test(readAt(fd, offset, length).toString("latin1"));
  }

  /** The rows whose lines may hold a match, found by looking through the file. */
  async *#lines(fd: number, file: ScanFile): AsyncGenerator<ScanRow> {
    const pages = wantedRows(this.#db, file);
    let page: ScanRow[] = [];
    let next = 0;
    for (const { bytes, lines } of candidateLines(fd, file.cursor, this.#inLine as RegExp)) {
      for (const offset of lines) {
        while ((page[next]?.byte_offset ?? -1) < offset) {
          if (++next < page.length) continue;
          const more = await pages.next();
          if (more.done) return;
          page = more.value;
          next = 0;
        }
        if (page[next]?.byte_offset === offset) yield page[next] as ScanRow;
        await this.#pause();
      }
      this.#progress.bytesDone += bytes;
      await this.#pause();
    }
  }

  /** Now and then lets others have their turn: signals, timers, whoever reads the hits. */
  async #pause(): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (performance.now() - this.#lastPause < PAUSE_EVERY_MS) return;
    this.#tell();
    await setImmediate();
    signal?.throwIfAborted();
    this.#lastPause = performance.now();
  }

  #tell(): void {
    this.#options.onProgress?.({ ...this.#progress });
  }
}

function hitOf(id: number, text: EntryText, pattern: TextPattern): Found | undefined {
  let matchCount = 0;
  let shown: { part: TextPart; ranges: Range[] } | undefined;
  for (const part of PARTS) {
    const ranges = text[part] === "" ? [] : pattern.find(text[part]);
    matchCount += ranges.length;
    if (ranges.length > 0) shown ??= { part, ranges };
  }
  if (!shown) return undefined;
  const { part, ranges } = shown;
  return { id, part, snippet: cutAround(text[part], ranges), matchCount };
}

/** Whether an error says that a file is not what was indexed, or cannot be read. */
function isAboutFile(error: unknown): boolean {
  return error instanceof PidexError || (error instanceof Error && "syscall" in error);
}

function changed(path: string): PidexError {
  return new PidexError("FILE_CHANGED", `${path} is no longer what was indexed`, "Sync again: pidex index.");
}
