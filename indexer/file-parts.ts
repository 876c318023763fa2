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

/** A file to be read for its words, as it was when its rows were made. */
export interface ReadFile {
  path: string;
  look: FileLook;
  /** How far it was read. */
  cursor: number;
}

/** What there is to read. */
export type ReadingJob =
  | { pass: "rows"; paths: readonly string[] }
  | { pass: "words"; files: readonly ReadFile[] };

/** Some lines of one file, `n` in the job's order. The last part of a file has an `end`. */
export type RowsPart = {
  n: number;
  look: FileLook;
  chunk: Chunk;
  end?: { checksums: string; recheck: Recheck };
};

/** The words of some entries of one file, in the order of its lines. */
export type WordsPart = { n: number; words: (EntryText | null)[]; isEnd: boolean };

/** A file that cannot be read in one go: it is gone, is none, or changed meanwhile. */
export type OddPart = { n: number; odd: true };

export type Part = RowsPart | WordsPart | OddPart;

/** Reads whole files, part by part. Knows no database, so that it can run in a thread beside the one that writes. */
export function* readParts(job: ReadingJob, chunkBytes: number, count: ReadCount): Generator<Part> {
  const paths = job.pass === "rows" ? job.paths : job.files.map(({ path }) => path);
  for (const [n, path] of paths.entries()) {
    let fd: number | undefined;
    try {
      fd = openToRead(path);
      if (job.pass === "rows") yield* rowsOf(n, fd, chunkBytes, count);
      else yield* wordsOf(n, fd, job.files[n] as ReadFile, chunkBytes, count);
    } catch {
      // Read alone afterwards, it meets the same error again, and that is told with the file.
      yield { n, odd: true };
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}

function* rowsOf(n: number, fd: number, chunkBytes: number, count: ReadCount): Generator<Part> {
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

function* wordsOf(
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
