import type { ReadCount } from "../src/session/lines.ts";
import type { Problem } from "../src/session/problems.ts";
import { type ReadState, readSession } from "../src/session/read.ts";
import { LONGEST_WAIT_MS } from "../src/store/sqlite/usage-rollup.ts";
import type { Checksums } from "./checksums.ts";
import { type Extracted, extract } from "./extract.ts";
import { addEntry, ModelCount, type ModelMessages, type Summary, startSummary } from "./summarise.ts";

/** How far a file is read, and what that came to: all that is needed to go on from there. */
export interface Progress {
  state: ReadState;
  summary: Summary | undefined;
  /** When its last message was, in Unix milliseconds. */
  lastMessage: number | null;
  /** Of the bytes before the cursor. */
  checksums: Checksums;
}

/** An entry at its place, ready for its rows. */
export interface ReadEntry {
  line: number;
  offset: number;
  length: number;
  /** Milliseconds since the message before it; null when that is not known. */
  elapsed: number | null;
  row: Extracted;
}

/** Some lines of a file in a row. */
export interface Chunk {
  entries: ReadEntry[];
  problems: Problem[];
  /** What its session adds up to with them; undefined for a file that is none. */
  summary: Summary | undefined;
  /** How many of its assistant messages came from which model. */
  models: ModelMessages[];
  /** The cursor behind them. */
  state: ReadState;
  /** Whether the file ends with them. */
  isLast: boolean;
}

interface Reading {
  /** Where the file ends. */
  end: number;
  /** A chunk ends with the line that makes it longer than this. */
  chunkBytes: number;
  words: "now" | "later";
  count: ReadCount;
}

/**
 * Reads a file from where `progress` is, which moves along. The last chunk is that of the file's end; it may be empty.
 *
 * @throws the error of `fs` when the file cannot be read
 */
export function* readChunks(
  fd: number,
  progress: Progress,
  { end, chunkBytes, words, count }: Reading,
): Generator<Chunk> {
  const { state } = progress;
  let entries: ReadEntry[] = [];
  let problems: Problem[] = [];
  let models = new ModelCount();
  let stopAt = state.offset + chunkBytes;
  const chunk = (isLast: boolean): Chunk => {
    const { summary } = progress;
    const copy = summary && { ...summary, tags: [...summary.tags] };
    return { entries, problems, summary: copy, models: models.counts(), state: { ...state }, isLast };
  };
  for (const line of readSession(fd, state, end, count, progress.checksums)) {
    if (line.header) progress.summary = startSummary(line.header);
    const { summary } = progress;
    if (line.entry && summary) {
      const at = { byteOffset: line.offset, line: line.line };
      const row = extract(line.entry, at, summary.cwd, line.problems, words);
      const isMessage = row.type === "message" && row.timestamp !== null;
      const elapsed = isMessage ? since(progress.lastMessage, row.timestamp) : null;
      if (isMessage) progress.lastMessage = row.timestamp;
      entries.push({ line: line.line, offset: line.offset, length: line.length, elapsed, row });
      addEntry(summary, line.entry);
      models.add(line.entry);
      line.problems.push(...row.problems);
    }
    problems.push(...line.problems);
    if (state.offset > stopAt && state.header !== "none") {
      yield chunk(false);
      entries = [];
      problems = [];
      models = new ModelCount();
      stopAt = state.offset + chunkBytes;
    }
  }
  // What follows in a file that is no session is never read.
  if (state.header === "none") state.offset = end;
  yield chunk(true);
}

/** Milliseconds from one time to the next. A clock that was put back tells nothing, nor does a pause. */
function since(before: number | null, now: number | null): number | null {
  if (before === null || now === null || now < before) return null;
  return now - before > LONGEST_WAIT_MS ? null : now - before;
}
