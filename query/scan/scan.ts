import { setImmediate } from "node:timers/promises";
import { PidexError, SYNC_AND_RETRY } from "../../src/errors.ts";
import { MAX_LINE_BYTES, readAt } from "../../src/session/lines.ts";
import { parseEntry } from "../../src/session/parse.ts";
import { type SessionBytes, statBytes } from "../../src/session/session-bytes.ts";
import { type EntryText, extractEntryText, TEXT_PARTS, type TextPart } from "../../src/session/text.ts";
import type { SessionCondition } from "../../src/store/conditions.ts";
import type { LocalReads, LocalStore } from "../../src/store/local-reads.ts";
import type { Position } from "../../src/store/position.ts";
import type { ScanConditions, ScanFile, ScanRow } from "../../src/store/scan-reads.ts";
import type { TextRange } from "../../src/store/words/tokens.ts";
import type { Snippet } from "../answers.ts";
import { EntryReader } from "../entry-reader.ts";
import type { ScanPattern } from "../options.ts";
import { snippetAround } from "../snippet/cut-around.ts";
import { findCandidateLines } from "./candidate-lines.ts";
import { compilePattern, type TextPattern } from "./pattern.ts";
import { compilePrefilter } from "./prefilter.ts";

export interface ScanEntriesOptions extends Partial<ScanConditions> {
  /** The first line of each file to search. */
  fromLine?: number | undefined;
  /** See `ScanOptions`. */
  snippetLength?: number | undefined;
  /** Aborts the scan within the time of one chunk. */
  signal?: AbortSignal | undefined;
  onProgress?: (progress: ScanProgress) => void;
  /** Called for files that have changed since they were indexed, or cannot be read: some of their hits may be missing. */
  onChangedFile?: (path: string) => void;
}

/** Progress of a scan. */
export interface ScanProgress {
  files: number;
  filesDone: number;
  /** Total bytes to search: of the files, or of the selected entries. */
  bytes: number;
  bytesDone: number;
  hits: number;
}

/** An entry that contains the pattern. */
export interface ScanMatch {
  position: Position;
  /** The part that the snippet comes from: the first with a match, in the order of `PARTS`. */
  part: TextPart;
  snippet: Snippet;
  /** Matches in all parts, counted up to `MAX_COUNTED_MATCHES` per part. */
  matchCount: number;
}

/** Cost of reading one entry by itself, in bytes that could be searched in the same time. */
const ROW_COST_BYTES = 4096;

/** Interval at which the scan yields to the event loop, in milliseconds. */
const PAUSE_INTERVAL_MS = 10;

/**
 * Searches the complete texts of entries in the session files, part by part. Exact where the full-text index is not:
 * punctuation, parts of words, text beyond the index's limits. Reads the newest sessions first, and yields hits in file order
 * as it finds them.
 *
 * Reads each file up to its indexed end. If a file has changed, the rest of it is skipped and it is passed to `onChangedFile`.
 *
 * @throws PidexError `BAD_QUERY`, and the signal's reason when aborted
 */
export async function* scanEntries(
  store: LocalStore,
  pattern: ScanPattern,
  options: ScanEntriesOptions = {},
): AsyncGenerator<ScanMatch, void> {
  const compiled = await compilePattern(pattern);
  options.signal?.throwIfAborted();
  const { session = ALL, entries } = options;
  const local = await store.local();
  const files = await local.scan.listFiles({ session, entries });
  yield* new Scan(local, compiled, files, options).run();
}

const ALL: SessionCondition = { kind: "all", of: [] };

class Scan {
  readonly #local: LocalReads;
  readonly #pattern: TextPattern;
  /** Matches every line that may contain a match; undefined if any line may. */
  readonly #inLine: RegExp | undefined;
  readonly #files: readonly ScanFile[];
  readonly #options: ScanEntriesOptions;
  readonly #fromLine: number;
  readonly #progress: ScanProgress;
  #lastPause = performance.now();

  constructor(
    local: LocalReads,
    pattern: TextPattern,
    files: readonly ScanFile[],
    options: ScanEntriesOptions,
  ) {
    this.#local = local;
    this.#pattern = pattern;
    this.#inLine =
      pattern.requiredLiterals && compilePrefilter(pattern.requiredLiterals, pattern.caseSensitive);
    this.#files = files;
    this.#options = options;
    this.#fromLine = options.fromLine ?? 1;
    const bytes = files.reduce((sum, file) => sum + this.#bytesToRead(file), 0);
    this.#progress = { files: files.length, filesDone: 0, bytes, bytesDone: 0, hits: 0 };
  }

  async *run(): AsyncGenerator<ScanMatch, void> {
    const { signal, onChangedFile } = this.#options;
    let bytesDone = 0;
    this.#reportProgress();
    for (const file of this.#files) {
      try {
        for await (const hit of this.#file(file)) {
          this.#progress.hits++;
          yield hit;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!isFileError(error)) throw error;
        onChangedFile?.(file.path);
      }
      bytesDone += this.#bytesToRead(file);
      this.#progress.bytesDone = bytesDone;
      this.#progress.filesDone++;
      this.#reportProgress();
      await this.#pause();
    }
  }

  async *#file(file: ScanFile): AsyncGenerator<ScanMatch> {
    const open = this.#local.openFile(file.path);
    const readBack = new EntryReader(open, file);
    try {
      const { fd } = open;
      await this.#verify(file, fd, readBack);
      for await (const row of this.#byRows(file) ? this.#rows(fd, file) : this.#lines(fd, file)) {
        const read = readBack.readEntry(row, parseEntry);
        const entry = read instanceof Promise ? await read : read;
        const hit = toMatch(
          row.position,
          extractEntryText(entry),
          this.#pattern,
          this.#options.snippetLength,
        );
        if (hit) yield hit;
      }
    } finally {
      readBack.close();
    }
  }

  /** Rejects a file that its rows no longer describe. A file that only grew is accepted. */
  async #verify(file: ScanFile, fd: SessionBytes, readBack: EntryReader): Promise<void> {
    const stat = statBytes(fd);
    const [mtime, ctime] = [String(stat.mtimeNs), String(stat.ctimeNs)];
    if (Number(stat.size) === file.size && mtime === file.mtime_ns && ctime === file.ctime_ns) return;
    if (!stat.isFile() || stat.size < file.cursor) throw fileChanged(file.path);
    const last = await this.#local.scan.readLast(file);
    if (last) await readBack.readEntry(last, parseEntry);
  }

  /** Whether to read entries one by one: they are few, or lines cannot be prefiltered. */
  #byRows({ selected, selected_bytes, selected_count, cursor }: ScanFile): boolean {
    return !this.#inLine || (selected !== null && selected_bytes + selected_count * ROW_COST_BYTES < cursor);
  }

  #bytesToRead(file: ScanFile): number {
    return this.#byRows(file) ? file.selected_bytes : file.cursor;
  }

  /** The rows with lines that may match, read one by one. */
  async *#rows(fd: SessionBytes, file: ScanFile): AsyncGenerator<ScanRow> {
    for await (const page of this.#local.scan.readSelected(file)) {
      for (const row of page) {
        if (row.line >= this.#fromLine && this.#mayMatch(fd, row)) yield row;
        this.#progress.bytesDone += row.byte_length;
        await this.#pause();
      }
    }
  }

  #mayMatch(fd: SessionBytes, { byte_offset: offset, byte_length: length }: ScanRow): boolean {
    if (!this.#inLine) return true;
    if (length > MAX_LINE_BYTES) return false; // its text is not read
    this.#inLine.lastIndex = 0;
    return this.#inLine.test(readAt(fd, offset, length).toString("latin1"));
  }

  /** The rows with lines that may match, found by searching the file. */
  async *#lines(fd: SessionBytes, file: ScanFile): AsyncGenerator<ScanRow> {
    const pages = this.#local.scan.readSelected(file);
    let page: ScanRow[] = [];
    let next = 0;
    let start = 0;
    while (start === 0 && this.#fromLine > 1) {
      const more = await pages.next();
      if (more.done) return;
      page = more.value;
      next = page.findIndex(({ line }) => line >= this.#fromLine);
      start = page[next]?.byte_offset ?? 0;
      await this.#pause();
    }
    this.#progress.bytesDone += start;
    for (const { bytes, lines } of findCandidateLines(fd, [start, file.cursor], this.#inLine as RegExp)) {
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

  /** Yields to the event loop at intervals, for signals, timers and consumers of the hits. */
  async #pause(): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    if (performance.now() - this.#lastPause < PAUSE_INTERVAL_MS) return;
    this.#reportProgress();
    await setImmediate();
    signal?.throwIfAborted();
    this.#lastPause = performance.now();
  }

  #reportProgress(): void {
    this.#options.onProgress?.({ ...this.#progress });
  }
}

function toMatch(
  position: Position,
  text: EntryText,
  pattern: TextPattern,
  snippetLength: number | undefined,
): ScanMatch | undefined {
  let matchCount = 0;
  let shown: { part: TextPart; ranges: TextRange[] } | undefined;
  for (const part of TEXT_PARTS) {
    const ranges = text[part] === "" ? [] : pattern.find(text[part]);
    matchCount += ranges.length;
    if (ranges.length > 0) shown ??= { part, ranges };
  }
  if (!shown) return undefined;
  const { part, ranges } = shown;
  return { position, part, snippet: snippetAround(text[part], ranges, snippetLength), matchCount };
}

/** Whether an error means that a file has changed since it was indexed, or cannot be read. */
function isFileError(error: unknown): boolean {
  return error instanceof PidexError || (error instanceof Error && "syscall" in error);
}

function fileChanged(path: string): PidexError {
  return new PidexError("FILE_CHANGED", `${path} has changed since it was indexed`, SYNC_AND_RETRY);
}
