import { isDeepStrictEqual } from "node:util";
import type { ReadCounters } from "../src/session/lines.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import { INITIAL_READ_STATE, readSession } from "../src/session/read.ts";
import { closeBytes, type SessionBytes, statBytes } from "../src/session/session-bytes.ts";
import type { EntryText } from "../src/session/text.ts";
import { Checksums, NOTHING_UNCHECKED, type PendingCheck, toPendingCheck } from "./checksums.ts";
import { type Chunk, type ReadProgress, readChunks } from "./chunks.ts";
import { extractWords } from "./extract.ts";
import { type FileStat, hasChanged, isRacy, toFileStat } from "./plan.ts";

/** A file to read for its words, with its `stat` when its rows were written. */
export interface FileToRead {
  path: string;
  stat: FileStat;
  /** Byte offset up to which it was read. */
  cursor: number;
}

/** The files to read, and what for. */
export type ReadJob =
  | { pass: "rows"; paths: readonly string[]; words: "now" | "later" }
  | { pass: "words"; files: readonly FileToRead[] };

/** Some lines of a file. Its last part has an `end`. */
export type RowsPart = {
  stat: FileStat;
  chunk: Chunk;
  end?: { checksums: string; recheck: PendingCheck };
};

/** The words of some entries of a file, in the order of its lines. */
export type WordsPart = { words: (EntryText | null)[]; isEnd: boolean };

/** A file that could not be read completely: it is gone, not a regular file, or changed meanwhile. */
type FailedPart = { isFailed: true };

type Part = RowsPart | WordsPart | FailedPart;

/** A part of file `fileNumber` of the job, and what was read since the previous part. */
export type FilePart = Part & { fileNumber: number; read: ReadCounters };

/** Reads whole files in parts. Uses no database, so that it can run in another thread than the writer. */
export function* readParts(job: ReadJob, chunkBytes: number): Generator<FilePart> {
  const paths = job.pass === "rows" ? job.paths : job.files.map(({ path }) => path);
  for (const [fileNumber, path] of paths.entries()) {
    const count: ReadCounters = { bytes: 0, lines: 0 };
    let fd: SessionBytes | undefined;
    try {
      fd = openForReading(path);
      const file = job.pass === "words" ? job.files[fileNumber] : undefined;
      const parts = file
        ? readWords(fd, file, chunkBytes, count)
        : readRows(fd, chunkBytes, job.pass === "rows" ? job.words : "later", count);
      for (const part of parts) {
        yield { ...part, fileNumber, read: { ...count } };
        count.bytes = 0;
        count.lines = 0;
      }
    } catch {
      // The caller ingests the file alone afterwards, meets the same error and saves it with the file.
      yield { isFailed: true, fileNumber, read: count };
    } finally {
      if (fd !== undefined) closeBytes(fd);
    }
  }
}

function* readRows(
  fd: SessionBytes,
  chunkBytes: number,
  words: "now" | "later",
  count: ReadCounters,
): Generator<Part> {
  const now = Date.now();
  const stat = statBytes(fd);
  if (!stat.isFile()) {
    yield { isFailed: true };
    return;
  }
  const look = toFileStat(stat);
  const end = Number(stat.size);
  const checksums = new Checksums();
  const progress: ReadProgress = {
    state: { ...INITIAL_READ_STATE },
    summary: undefined,
    lastMessageTime: null,
    checksums,
  };
  for (const chunk of readChunks(fd, progress, { end, chunkBytes, words, count })) {
    if (!chunk.isLast) {
      yield { stat: look, chunk };
      continue;
    }
    const isChanging = hasChanged(statBytes(fd), stat);
    const reading = { cursor: chunk.state.offset, isChanging, isYoung: isRacy(stat, now), now };
    const recheck = toPendingCheck(NOTHING_UNCHECKED, reading);
    yield { stat: look, chunk, end: { checksums: checksums.toText(), recheck } };
  }
}

function* readWords(
  fd: SessionBytes,
  { stat, cursor }: FileToRead,
  chunkBytes: number,
  count: ReadCounters,
): Generator<Part> {
  const isSame = () => isDeepStrictEqual(toFileStat(statBytes(fd)), stat);
  let words: (EntryText | null)[] = [];
  let stopAt = chunkBytes;
  if (isSame()) {
    for (const { entry, offset } of readSession(fd, { ...INITIAL_READ_STATE }, cursor, count)) {
      if (entry) words.push(extractWords(entry));
      if (offset < stopAt) continue;
      yield { words, isEnd: false };
      words = [];
      stopAt = offset + chunkBytes;
    }
  }
  yield isSame() ? { words, isEnd: true } : { isFailed: true };
}
