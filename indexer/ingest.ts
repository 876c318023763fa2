import type { BigIntStats } from "node:fs";
import { toFileIdentity } from "../src/file-identity.ts";
import { NEWLINE, type ReadCounters, readAt } from "../src/session/lines.ts";
import { openForReading } from "../src/session/open-for-reading.ts";
import type { ProblemCode } from "../src/session/problems.ts";
import { INITIAL_READ_STATE, type ReadState } from "../src/session/read.ts";
import { closeBytes, isCompressedBytes, type SessionBytes, statBytes } from "../src/session/session-bytes.ts";
import { EXTRACTION } from "../src/store/extraction.ts";
import type { FileTable } from "../src/store/schema.ts";
import { type CheckState, Checksums, compareBlocks, NOTHING_UNCHECKED, toPendingCheck } from "./checksums.ts";
import { readChunks } from "./chunks.ts";
import type { CandidateFile, FoundFile } from "./discover.ts";
import { FileWriter } from "./file-writer.ts";
import { blocksToCompare, type FileStat, hasChanged, isRacy, plan } from "./plan.ts";
import type { RowWriter } from "./rows.ts";
import type { SessionSummaryRow } from "./summarize.ts";

/** Bytes of a file that are read before their rows are written: bounds memory. */
const CHUNK_BYTES = 4 << 20;

/** The result of ingesting one file. */
type Outcome = "skipped" | "added" | "appended" | "reindexed" | "moved" | "faulty";

export interface IngestResult {
  outcome: Outcome;
  /** False if the budget ran out: the next transaction continues from the cursor. */
  isComplete: boolean;
}

/** Bytes and lines read and compared so far. */
export interface IngestCount {
  /** Session data that was read. */
  read: ReadCounters;
  /** Bytes that will be read again for their words. */
  bytesToReread?: number;
  /** Data read again only to check that a file still has its indexed content. */
  verified: ReadCounters;
}

interface IngestOptions {
  rowWriter: RowWriter;
  file: FoundFile;
  /** The row of a missing file with the same inode: this file under its old path. */
  movedFrom?: FileTable;
  /** Whether this sync has already read a part of it. */
  isBegun?: boolean;
  /** Maximum bytes to read, so that the transaction stays short. */
  budget: number;
  count: IngestCount;
}

/**
 * Updates the rows and the cursor of one file, as far as the budget allows. Runs inside the caller's transaction and plans
 * again there, because another process may have ingested the file since it was compared.
 *
 * @throws the error of `fs` when the file cannot be read
 */
export function ingest({ rowWriter, file, movedFrom, isBegun, budget, count }: IngestOptions): IngestResult {
  if (file.failure) return saveFailedFile(rowWriter, file, file.failure, file.reason ?? FAULTS[file.failure]);
  const fd = openForReading(file.path);
  try {
    const now = Date.now();
    const stat = statBytes(fd);
    if (!stat.isFile()) return saveFailedFile(rowWriter, { ...file, stat }, "not_a_file", FAULTS.not_a_file);
    const row = rowWriter.file(file.path);
    const known = row ?? movedFrom;
    const planned = plan(stat, known);
    if (planned === "skip" && row) return { outcome: "skipped", isComplete: true };

    // Reported as a whole, not by its lines, until it is known to be a session.
    const isHidden = file.isOutsideRoots && known?.header !== "found";
    const compared =
      known && planned !== "reindex" && !isHidden
        ? comparePrefix(fd, stat, known, { isBegun, now, count })
        : undefined;
    const continued = known && compared;
    const state = continued ? toReadState(known) : { ...INITIAL_READ_STATE };
    const checksums = continued ? new Checksums(known.checksums, known.cursor) : new Checksums();
    const read = { ...file, isCompressed: isCompressedBytes(fd) };
    const id = known?.id ?? rowWriter.saveFile(toFileRow(read, stat, state));
    if (known && !continued) rowWriter.clear(id);

    const started = state.offset;
    const reading = { state, checksums, stat, budget, count: count.read };
    const done = readRows(rowWriter, fd, id, file, reading);
    const isChanging = hasChanged(statBytes(fd), stat);
    const young = { cursor: state.offset, isChanging, isYoung: isRacy(stat, now), now };
    rowWriter.saveFile({
      ...toFileRow(read, stat, state),
      id,
      // If it was not read to its end, a smaller size is saved, so that the next sync sees it as grown.
      size: done ? Number(stat.size) : state.offset,
      ...toPendingCheck(compared ?? NOTHING_UNCHECKED, young),
      checksums: checksums.toText(),
    });
    if (known && known.path !== file.path) rowWriter.ledger.onFileMoved(id, known.path, file.path);
    return {
      outcome: outcomeOf(row, movedFrom, continued !== undefined, state.offset > started),
      isComplete: done,
    };
  } finally {
    closeBytes(fd);
  }
}

function outcomeOf(
  row: FileTable | undefined,
  movedFrom: FileTable | undefined,
  continued: boolean,
  read: boolean,
): Outcome {
  if (!row && movedFrom && continued) return "moved";
  if (!row) return "added";
  if (!continued) return "reindexed";
  return read ? "appended" : "skipped";
}

interface Reading {
  state: ReadState;
  checksums: Checksums;
  stat: BigIntStats;
  budget: number;
  count: ReadCounters;
}

/** Reads lines into rows until the end of the file, by its `stat`, or of the budget. @returns whether it reached the end of the file */
function readRows(
  rowWriter: RowWriter,
  fd: SessionBytes,
  id: number,
  file: CandidateFile,
  { state, checksums, stat, budget, count }: Reading,
): boolean {
  const stopAt = state.offset + budget;
  const writer = new FileWriter(rowWriter, id, file, state);
  const known = rowWriter.session(id);
  const summary: SessionSummaryRow | undefined = known && { ...known, tags: rowWriter.tags.of(id) };
  const progress = { state, summary, lastMessageTime: rowWriter.ledger.lastMessageTime(id), checksums };
  const chunkBytes = Math.min(budget, CHUNK_BYTES);
  const reading = { end: Number(stat.size), chunkBytes, words: "now", count } as const;
  let done = true;
  for (const chunk of readChunks(fd, progress, reading)) {
    writer.add(chunk);
    done = chunk.isLast || state.offset <= stopAt;
    if (!done) break;
  }
  writer.finish(stat.mtimeNs);
  return done;
}

/**
 * Compares bytes before the cursor with the index.
 *
 * @returns what remains to compare; undefined if a compared block differs
 */
function comparePrefix(
  fd: SessionBytes,
  stat: BigIntStats,
  known: FileTable,
  { isBegun, now, count }: { isBegun: boolean | undefined; now: number; count: IngestCount },
): CheckState | undefined {
  if (known.header === "none") return undefined;
  const size = Number(stat.size);
  // If the last indexed line had no newline and continues now, it is a different line.
  if (!known.terminated && size > known.cursor) {
    if (readAt(fd, known.cursor, 1, count.verified)[0] !== NEWLINE) return undefined;
  }
  const which = blocksToCompare(stat, known, isBegun);
  const { check_from, unchecked, unchecked_since } = known;
  if (which === "none") return { check_from, unchecked, unchecked_since };
  const isChanged = size > known.size;
  return compareBlocks(fd, known, { which, isChanged, now, count: count.verified });
}

/** The state to read on from, by a file's row. */
export function toReadState(row: FileTable): ReadState {
  const { cursor: offset, terminated, lines, parsed, version, header, leaf_id: leafId } = row;
  return {
    offset,
    terminated: terminated === 1,
    lines,
    parsed,
    version,
    header: header as ReadState["header"],
    leafId,
  };
}

/** The row of a file with this `stat`, read up to a cursor. */
export function toFileRow(
  file: CandidateFile,
  stat: FileStat,
  state: ReadState,
  extraction = EXTRACTION,
): Omit<FileTable, "id"> {
  return {
    path: file.path,
    subagent: file.subagent,
    compressed: file.isCompressed ? 1 : 0,
    extraction,
    inode: toFileIdentity(stat),
    size: Number(stat.size),
    mtime_ns: String(stat.mtimeNs),
    ctime_ns: String(stat.ctimeNs),
    racy: 0,
    cursor: state.offset,
    terminated: state.terminated ? 1 : 0,
    lines: state.lines,
    parsed: state.parsed,
    header: state.header,
    version: state.version,
    leaf_id: state.leafId,
    checksums: "",
    ...NOTHING_UNCHECKED,
  };
}

const FAULTS = {
  not_a_file: "a pipe, socket or device, not a file",
  unreadable: "a broken link",
};

/** Saves a file that cannot be read as a row with a problem, and drops its other rows. */
export function saveFailedFile(
  rowWriter: RowWriter,
  file: FoundFile,
  code: ProblemCode,
  message: string,
): IngestResult {
  const known = rowWriter.file(file.path);
  const row = toFileRow(file, file.stat, INITIAL_READ_STATE);
  // Always checked again: the file may be readable at the next sync.
  const id = rowWriter.saveFile({ ...row, id: known?.id, racy: 1 });
  if (known) rowWriter.clear(id);
  rowWriter.addProblem(id, { code, byteOffset: 0, line: 0, message });
  return { outcome: "faulty", isComplete: true };
}
