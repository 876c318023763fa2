import type { ReadCounters } from "../src/session/lines.ts";
import type { Problem } from "../src/session/problems.ts";
import { type ReadState, readSession } from "../src/session/read.ts";
import type { SessionBytes } from "../src/session/session-bytes.ts";
import { MAX_WAIT_MS } from "../src/store/usage-rollup.ts";
import type { Checksums } from "./checksums.ts";
import { type ExtractedEntry, extract } from "./extract.ts";
import {
  addEntryToSummary,
  createSummary,
  ModelCounter,
  type ModelMessages,
  type SessionSummaryRow,
} from "./summarize.ts";

/** How far a file was read, with all that is needed to read on. */
export interface ReadProgress {
  state: ReadState;
  summary: SessionSummaryRow | undefined;
  /** Time of its last message, in Unix milliseconds. */
  lastMessageTime: number | null;
  /** Of the bytes before the cursor. */
  checksums: Checksums;
}

/** An entry with its location, extracted for its rows. */
export interface ReadEntry {
  line: number;
  offset: number;
  length: number;
  /** Milliseconds since the previous message; null if unknown. */
  elapsed: number | null;
  extracted: ExtractedEntry;
}

/** Consecutive lines of a file. */
export interface Chunk {
  entries: ReadEntry[];
  problems: Problem[];
  /** The session's row including these lines; undefined for a file that is not a session. */
  summary: SessionSummaryRow | undefined;
  /** Assistant messages per model in these lines. */
  models: ModelMessages[];
  /** The cursor after them. */
  state: ReadState;
  /** Whether the file ends with them. */
  isLast: boolean;
}

interface Reading {
  /** Byte offset to read to: the size of the file. */
  end: number;
  /** A chunk ends with the line that makes it longer than this. */
  chunkBytes: number;
  words: "now" | "later";
  count: ReadCounters;
}

/**
 * Reads a file from the cursor in `progress`, and advances it. The last chunk may be empty.
 *
 * @throws the error of `fs` when the file cannot be read
 */
export function* readChunks(
  fd: SessionBytes,
  progress: ReadProgress,
  { end, chunkBytes, words, count }: Reading,
): Generator<Chunk> {
  const { state } = progress;
  let entries: ReadEntry[] = [];
  let problems: Problem[] = [];
  let models = new ModelCounter();
  let stopAt = state.offset + chunkBytes;
  const chunk = (isLast: boolean): Chunk => {
    const { summary } = progress;
    const copy = summary && { ...summary, tags: [...summary.tags] };
    return { entries, problems, summary: copy, models: models.counts(), state: { ...state }, isLast };
  };
  for (const line of readSession(fd, state, end, count, progress.checksums)) {
    if (line.header) progress.summary = createSummary(line.header);
    const { summary } = progress;
    if (line.entry && summary) {
      const location = { byteOffset: line.offset, line: line.line };
      const row = extract(line.entry, location, summary.cwd, line.problems, words);
      const isMessage = row.type === "message" && row.timestamp !== null;
      const elapsed = isMessage ? elapsedTime(progress.lastMessageTime, row.timestamp) : null;
      if (isMessage) progress.lastMessageTime = row.timestamp;
      entries.push({ line: line.line, offset: line.offset, length: line.length, elapsed, extracted: row });
      addEntryToSummary(summary, line.entry, () => row.touches);
      models.add(line.entry);
      line.problems.push(...row.problems);
    }
    problems.push(...line.problems);
    if (state.offset > stopAt && state.header !== "none") {
      yield chunk(false);
      entries = [];
      problems = [];
      models = new ModelCounter();
      stopAt = state.offset + chunkBytes;
    }
  }
  // The rest of a file that is not a session is never read.
  if (state.header === "none") state.offset = end;
  yield chunk(true);
}

/** Milliseconds between two messages; null after a pause or if the clock was set back. */
function elapsedTime(before: number | null, now: number | null): number | null {
  if (before === null || now === null || now < before) return null;
  return now - before > MAX_WAIT_MS ? null : now - before;
}
