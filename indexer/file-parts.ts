import { closeSync, fstatSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { ReadCount } from "../src/session/lines.ts";
import { openToRead } from "../src/session/open-to-read.ts";
import { readSession, START } from "../src/session/read.ts";
import type { EntryText } from "../src/session/text.ts";
import { ALL_CHECKED, afterReading, Checksums, type Recheck } from "./checksums.ts";
import { type Chunk, type Progress, readChunks } from "./chunks.ts";
import { entryWords } from "./extract.ts";
import { differs, type FileLook, isRacy, lookOf } from "./plan.ts";

/** A file to read for its words, with its `stat` when its rows were written. */
export interface ReadFile {
  path: string;
  look: FileLook;
  /** Byte offset up to which it was read. */
  cursor: number;
}

/** The files to read, and what for. */
export type ReadingJob =
  | { pass: "rows"; paths: readonly string[] }
  | { pass: "words"; files: readonly ReadFile[] };

/** Some lines of file `n` of the job. The last part of a file has an `end`. */
export type RowsPart = {
  n: number;
  look: FileLook;
  chunk: Chunk;
  end?: { checksums: string; recheck: Recheck };
};

/** The words of some entries of file `n`, in the order of its lines. */
export type WordsPart = { n: number; words: (EntryText | null)[]; isEnd: boolean };

/** File `n` could not be read completely: it is gone, not a regular file, or changed meanwhile. */
export type OddPart = { n: number; odd: true };

export type Part = RowsPart | WordsPart | OddPart;

/** Reads whole files in parts. Uses no database, so that it can run in another thread than the writer. */
export function* readParts(job: ReadingJob, chunkBytes: number, count: ReadCount): Generator<Part> {
  const paths = job.pass === "rows" ? job.paths : job.files.map(({ path }) => path);
  for (const [n, path] of paths.entries()) {
    let fd: number | undefined;
    try {
      fd = openToRead(path);
      if (job.pass === "rows") yield* readRows(n, fd, chunkBytes, count);
      else yield* readWords(n, fd, job.files[n] as ReadFile, chunkBytes, count);
    } catch {
      // The caller ingests the file alone afterwards, meets the same error and saves it with the file.
      yield { n, odd: true };
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}

function* readRows(n: number, fd: number, chunkBytes: number, count: ReadCount): Generator<Part> {
  const now = Date.now();
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    yield { n, odd: true };
    return;
  }
  const look = lookOf(stat);
  const end = Number(stat.size);
  const checksums = new Checksums();
  const progress: Progress = { state: { ...START }, summary: undefined, lastMessage: null, checksums };
  let last: Chunk | undefined;
  for (const chunk of readChunks(fd, progress, { end, chunkBytes, words: "later", count })) {
    if (last) yield { n, look, chunk: last };
    last = chunk;
  }
  const isChanging = differs(fstatSync(fd, { bigint: true }), stat);
  const reading = { cursor: progress.state.offset, isChanging, isYoung: isRacy(stat, now), now };
  const recheck = afterReading(ALL_CHECKED, reading);
  yield { n, look, chunk: last as Chunk, end: { checksums: checksums.toText(), recheck } };
}

function* readWords(
  n: number,
  fd: number,
  { look, cursor }: ReadFile,
  chunkBytes: number,
  count: ReadCount,
): Generator<Part> {
  const isSame = () => isDeepStrictEqual(lookOf(fstatSync(fd, { bigint: true })), look);
  let words: (EntryText | null)[] = [];
  let stopAt = chunkBytes;
  if (isSame()) {
    for (const { entry, offset } of readSession(fd, { ...START }, cursor, count)) {
      if (entry) words.push(entryWords(entry));
      if (offset < stopAt) continue;
      yield { n, words, isEnd: false };
      words = [];
      stopAt = offset + chunkBytes;
    }
  }
  yield isSame() ? { n, words, isEnd: true } : { n, odd: true };
}
