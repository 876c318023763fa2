import { type BigIntStats, closeSync, fstatSync } from "node:fs";
import { fileIdentity } from "../src/file-identity.ts";
import { NEWLINE, type ReadCount, readAt } from "../src/session/lines.ts";
import { openToRead } from "../src/session/open-to-read.ts";
import type { ProblemCode } from "../src/session/problems.ts";
import { type ReadState, START } from "../src/session/read.ts";
import { EXTRACTION } from "../src/store/sqlite/extraction.ts";
import { ALL_CHECKED, afterReading, type CheckState, Checksums, compareBlocks } from "./checksums.ts";
import { readChunks } from "./chunks.ts";
import type { FoundFile, PlacedFile } from "./discover.ts";
import { FileWriter, type WrittenFile } from "./file-writer.ts";
import { blocksToCompare, differs, type FileLook, isRacy, plan } from "./plan.ts";
import type { FileRow, Rows } from "./rows.ts";
import type { Summary } from "./summarise.ts";

/** Bytes of a file that are read before they are written: it bounds the memory that takes. */
const CHUNK_BYTES = 4 << 20;

/** What ingesting one file came to. */
type Outcome = "skipped" | "added" | "appended" | "reindexed" | "moved" | "faulty";

export interface Ingested {
  outcome: Outcome;
  /** False when the budget ran out first: the next transaction goes on from the cursor. */
  done: boolean;
}

/** Work done on files, counted. */
export interface IngestCount {
  /** Bytes and lines of sessions read. */
  read: ReadCount;
  /** Bytes of those that are to be read again, for their words. */
  halfRead?: number;
  /** Bytes read again only to see that a file is still the one that was indexed. */
  verified: ReadCount;
}

interface IngestOptions {
  rows: Rows;
  file: FoundFile;
  /** The row of a file that is gone, whose inode this one has: the same file under another name. */
  movedFrom?: FileRow;
  /** Whether this sync has read a part of it already. */
  isBegun?: boolean;
  /** Bytes to read at most, so that a transaction stays short. */
  budget: number;
  count: IngestCount;
}

/**
 * Brings the rows of one file up to its bytes: as much of it as the budget allows, rows and cursor together.
 * Runs inside a transaction of the caller's, and plans again there: another process may have been faster.
 *
 * @throws the error of `fs` when the file cannot be read
 */
export function ingest({ rows, file, movedFrom, isBegun, budget, count }: IngestOptions): Ingested {
  if (file.fault) return saveFault(rows, file, file.fault, FAULTS[file.fault]);
  const fd = openToRead(file.path);
  try {
    const now = Date.now();
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) return saveFault(rows, { ...file, stat }, "not_a_file", FAULTS.not_a_file);
    const here = rows.file(file.path);
    const known = here ?? movedFrom;
    const planned = plan(stat, known);
    if (planned === "skip" && here) return { outcome: "skipped", done: true };

    // What is no session yet is told of in one piece: nothing of its lines.
    const isUntold = file.outside && known?.header !== "found";
    const compared =
      known && planned !== "reindex" && !isUntold
        ? comparePrefix(fd, stat, known, { isBegun, now, count })
        : undefined;
    const goesOn = known && compared;
    const state = goesOn ? stateOf(known) : { ...START };
    const checksums = goesOn ? new Checksums(known.checksums, known.cursor) : new Checksums();
    const id = known?.id ?? rows.saveFile(fileRow(file, stat, state));
    if (known && !goesOn) rows.clear(id);

    const started = state.offset;
    const reading = { state, checksums, stat, budget, count: count.read };
    const done = readRows(rows, fd, { id, path: file.path, outside: file.outside }, reading);
    const isChanging = differs(fstatSync(fd, { bigint: true }), stat);
    const young = { cursor: state.offset, isChanging, isYoung: isRacy(stat, now), now };
    rows.saveFile({
      ...fileRow(file, stat, state),
      id,
      // Half read, it is remembered as half as long: so the next look finds it grown.
      size: done ? Number(stat.size) : state.offset,
      ...afterReading(compared ?? ALL_CHECKED, young),
      checksums: checksums.toText(),
    });
    if (known && known.path !== file.path) rows.ledger.moved(id, known.path, file.path);
    return { outcome: outcomeOf(here, movedFrom, goesOn !== undefined, state.offset > started), done };
  } finally {
    closeSync(fd);
  }
}

function outcomeOf(
  here: FileRow | undefined,
  movedFrom: FileRow | undefined,
  goesOn: boolean,
  read: boolean,
): Outcome {
  if (!here && movedFrom && goesOn) return "moved";
  if (!here) return "added";
  if (!goesOn) return "reindexed";
  return read ? "appended" : "skipped";
}

interface Reading {
  state: ReadState;
  checksums: Checksums;
  stat: BigIntStats;
  budget: number;
  count: ReadCount;
}

/** Reads lines into rows until the end of the file, as it was looked at, or of the budget. */
function readRows(
  rows: Rows,
  fd: number,
  file: WrittenFile,
  { state, checksums, stat, budget, count }: Reading,
): boolean {
  const stopAt = state.offset + budget;
  const writer = new FileWriter(rows, file, state);
  const known = rows.session(file.id);
  const summary: Summary | undefined = known && { ...known, tags: rows.tags.of(file.id) };
  const progress = { state, summary, lastMessage: rows.ledger.lastMessage(file.id), checksums };
  const chunkBytes = Math.min(budget, CHUNK_BYTES);
  const reading = { end: Number(stat.size), chunkBytes, words: "now", count } as const;
  let done = true;
  for (const chunk of readChunks(fd, progress, reading)) {
    writer.add(chunk);
    done = chunk.isLast || state.offset <= stopAt;
    if (!done) break;
  }
  writer.end(stat.mtimeNs);
  return done;
}

/**
 * Compares the bytes that were indexed with those that stand at the start of the file.
 *
 * @returns what is left to compare; undefined when they differ, as far as they were compared
 */
function comparePrefix(
  fd: number,
  stat: BigIntStats,
  known: FileRow,
  { isBegun, now, count }: { isBegun: boolean | undefined; now: number; count: IngestCount },
): CheckState | undefined {
  if (known.header === "none") return undefined;
  const size = Number(stat.size);
  // When the last line had no newline and goes on now, it is another line than the one that was read.
  if (!known.terminated && size > known.cursor) {
    if (readAt(fd, known.cursor, 1, count.verified)[0] !== NEWLINE) return undefined;
  }
  const which = blocksToCompare(stat, known, isBegun);
  const { check_from, unchecked, unchecked_since } = known;
  if (which === "none") return { check_from, unchecked, unchecked_since };
  const isChanged = size > known.size;
  return compareBlocks(fd, known, { which, isChanged, now, count: count.verified });
}

/** The cursor as the state to read on from. */
export function stateOf(row: FileRow): ReadState {
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

/** The row of a file as a look found it, read up to a cursor. */
export function fileRow(
  file: PlacedFile,
  stat: FileLook,
  state: ReadState,
  extraction = EXTRACTION,
): Omit<FileRow, "id"> {
  return {
    path: file.path,
    subagent: file.subagent,
    extraction,
    inode: fileIdentity(stat),
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
    ...ALL_CHECKED,
  };
}

const FAULTS = {
  not_a_file: "a pipe, socket or device, not a file",
  unreadable: "a link to nothing",
};

/** Keeps a file that cannot be read as a row with a problem, and drops what was known of it. */
export function saveFault(rows: Rows, file: FoundFile, code: ProblemCode, message: string): Ingested {
  const known = rows.file(file.path);
  const row = fileRow(file, file.stat, START);
  // Always looked at again: what cannot be read now may be readable at the next sync.
  const id = rows.saveFile({ ...row, id: known?.id, racy: 1 });
  if (known) rows.clear(id);
  rows.addProblem(id, { code, byteOffset: 0, line: 0, message });
  return { outcome: "faulty", done: true };
}
