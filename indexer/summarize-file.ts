import { type BigIntStats, closeSync, fstatSync } from "node:fs";
import type { Entry, EntryId } from "../src/session/entries.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import { INITIAL_READ_STATE, type ReadState, readSession, type SessionLine } from "../src/session/read.ts";
import { extractEvents } from "./events.ts";
import { extractLabel } from "./extract.ts";
import { extractSubagentResults } from "./subagent-results.ts";
import { addEntryToSummary, createSummary, getModifiedTime, type SessionSummaryRow } from "./summarize.ts";

/** Bytes that are read before yielding to the event loop. */
const YIELD_BYTES = 8 << 20;

/** The session of a file, as the index would have it. */
export interface FileSummary {
  summary: SessionSummaryRow;
  /** Unix milliseconds. */
  modified: number;
  version: number;
  /** The file's size in bytes. */
  size: number;
  labelCount: number;
  problemCount: number;
}

/**
 * Reads everything that a list shows of a session from its file, without a database. Uses bounded memory, and yields to the
 * event loop.
 *
 * @param onEntry called with every entry
 * @returns undefined if it isn't a session
 * @throws the error of `fs`, and the signal's reason when aborted
 */
export async function summarizeFile(
  path: string,
  signal?: AbortSignal,
  onEntry?: (entry: Entry) => void,
): Promise<FileSummary | undefined> {
  const labels = new Set<EntryId>();
  let summary: SessionSummaryRow | undefined;
  let problemCount = 0;
  const read = await readLines(
    path,
    (line) => {
      problemCount += line.problems.length;
      if (line.header) summary = createSummary(line.header);
      if (!line.entry || !summary) return;
      addEntryToSummary(summary, line.entry);
      problemCount += problemsOf(line, line.entry);
      const label = extractLabel(line.entry);
      if (label?.label) labels.add(label.targetId);
      else if (label) labels.delete(label.targetId);
      onEntry?.(line.entry);
    },
    signal,
  );
  if (!summary || !read) return undefined;
  const { stat, version } = read;
  const modified = getModifiedTime(summary, String(stat.mtimeNs));
  return { summary, modified, version, size: Number(stat.size), labelCount: labels.size, problemCount };
}

/** Number of problems of a valid entry: those of its events and subagent results. */
function problemsOf({ offset, line, problems: found }: SessionLine, entry: Entry): number {
  const at = { byteOffset: offset, line };
  const { results, problems } = extractSubagentResults(entry, at);
  const invalid = [...found, ...problems];
  extractEvents(entry, results, { id: null, time: null, textHash: null }, at, { problems, invalid });
  return problems.length;
}

/**
 * Calls `visit` with every line of a session file, in bounded memory, and yields to the event loop.
 *
 * @returns undefined if it isn't a regular file, but a pipe, for example
 * @throws the error of `fs`, and the signal's reason when aborted
 */
async function readLines(
  path: string,
  visit: (line: SessionLine) => void,
  signal?: AbortSignal,
): Promise<{ stat: BigIntStats; version: number } | undefined> {
  const fd = openForReading(path);
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) return undefined;
    const state: ReadState = { ...INITIAL_READ_STATE };
    let yieldAt = YIELD_BYTES;
    for (const line of readSession(fd, state, Number(stat.size))) {
      visit(line);
      if (line.offset < yieldAt) continue;
      yieldAt = line.offset + YIELD_BYTES;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return { stat, version: state.version };
  } finally {
    closeSync(fd);
  }
}
