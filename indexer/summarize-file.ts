import type { Entry, EntryId } from "../src/session/entries.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import { INITIAL_READ_STATE, type ReadState, readSession, type SessionLine } from "../src/session/read.ts";
import { closeBytes, isCompressedBytes, statBytes } from "../src/session/session-bytes.ts";
import { extractEvents } from "./events.ts";
import { extractEntryTouches, extractLabel } from "./extract.ts";
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
  compressed: boolean;
  labelCount: number;
  problemCount: number;
}

/**
 * Reads everything that a list shows of a session from its file, without a database. Uses bounded memory, and yields to the
 * event loop.
 *
 * @param onEntry called with every entry
 * @returns undefined if it isn't a session, or isn't a regular file, but a pipe, for example
 * @throws the error of `fs`, and the signal's reason when aborted
 */
export async function summarizeFile(
  path: string,
  signal?: AbortSignal,
  onEntry?: (entry: Entry) => void,
): Promise<FileSummary | undefined> {
  const fd = openForReading(path);
  try {
    const stat = statBytes(fd);
    if (!stat.isFile()) return undefined;
    const size = Number(stat.size);
    const state: ReadState = { ...INITIAL_READ_STATE };
    const labels = new Set<EntryId>();
    let summary: SessionSummaryRow | undefined;
    let problemCount = 0;
    let yieldAt = YIELD_BYTES;
    for (const line of readSession(fd, state, size)) {
      const { entry, header, offset, problems } = line;
      problemCount += problems.length;
      if (header) summary = createSummary(header);
      if (entry && summary) {
        const { cwd } = summary;
        addEntryToSummary(summary, entry, () => extractEntryTouches(entry, cwd));
        problemCount += problemsOf(line, entry);
        const label = extractLabel(entry);
        if (label?.label) labels.add(label.targetId);
        else if (label) labels.delete(label.targetId);
        onEntry?.(entry);
      }
      if (offset < yieldAt) continue;
      yieldAt = offset + YIELD_BYTES;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    if (!summary) return undefined;
    const modified = getModifiedTime(summary, String(stat.mtimeNs));
    const labelCount = labels.size;
    return {
      ...{ summary, modified, version: state.version, size, compressed: isCompressedBytes(fd) },
      ...{ labelCount, problemCount },
    };
  } finally {
    closeBytes(fd);
  }
}

/** Number of problems of a valid entry: those of its events and subagent results. */
function problemsOf({ offset, line, problems: found }: SessionLine, entry: Entry): number {
  const at = { byteOffset: offset, line };
  const { results, problems } = extractSubagentResults(entry, at);
  const invalid = [...found, ...problems];
  extractEvents(entry, results, { id: null, time: null, textHash: null }, at, { problems, invalid });
  return problems.length;
}
