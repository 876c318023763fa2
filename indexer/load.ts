import type { ReadCounters } from "../src/session/lines.ts";
import { INITIAL_READ_STATE, type ReadState } from "../src/session/read.ts";
import { EXTRACTION, UNFINISHED, WITHOUT_WORDS } from "../src/store/extraction.ts";
import type { FoundFile } from "./discover.ts";
import type { FilePart, FileToRead, ReadJob, RowsPart, WordsPart } from "./file-parts.ts";
import { FileWriter } from "./file-writer.ts";
import { type IngestCount, type IngestResult, toFileRow, toReadState } from "./ingest.ts";
import { type FileStat, plan, toFileStat } from "./plan.ts";
import { readAhead } from "./read-ahead.ts";
import type { RowWriter } from "./rows.ts";

/**
 * Bytes of sessions per transaction. Ids and hashes are spread over the pages of their indexes, so fewer transactions write
 * each page less often.
 */
const TRANSACTION_BYTES = 64 << 20;
/** Parts of files per transaction, for many small files. */
const MAX_PARTS = 5_000;
/** Bytes of sessions in one message of the thread. Their rows take many times that in memory, and several messages are queued. */
const MAX_ROWS_MESSAGE_BYTES = 256 << 10;
const MAX_WORDS_MESSAGE_BYTES = 512 << 10;

interface LoadOptions {
  rowWriter: RowWriter;
  /** Files without rows, or with rows that are dropped. */
  files: readonly FoundFile[];
  /** Whether words are written with the other rows: files can be searched at once, but listed later. */
  inOnePass: boolean;
  /** Maximum bytes of sessions per transaction, if set by the caller. */
  batchBytes: number | undefined;
  count: IngestCount;
  /** Called when all rows of a file except its words are written, and again with an `outcome` when the file is done. */
  onFile: (file: FoundFile, outcome?: IngestResult["outcome"]) => void;
  /** Called before each transaction. */
  onBegin: () => void;
  /** Called after each commit; returns whether to continue. */
  onCommit: () => Promise<"go on" | "stop">;
  signal?: AbortSignal | undefined;
}

/** A file that has some or all of its rows. */
interface LoadedFile {
  file: FoundFile;
  id: number;
  outcome: IngestResult["outcome"];
  stat: FileStat;
  state: ReadState;
  isWhole: boolean;
  /** Whether an earlier load may have written some of its words. */
  hasWords: boolean;
  /** Writes its rows until it ends, or is saved with the transaction. */
  writer?: FileWriter | undefined;
  /** Its entries that have no words yet. */
  entries?: Iterator<number>;
}

/**
 * Loads many whole files, which a second thread reads, in one pass, or in two: first all rows except words, so that sessions and
 * costs appear early, then the words. Until both are written, a file's row marks it as unfinished; a load that was stopped
 * between the passes resumes with the second.
 *
 * @returns the files to ingest one by one: those that are not regular files, cannot be read or changed meanwhile, and all
 * that were unfinished when the thread failed
 */
export async function loadFiles(options: LoadOptions): Promise<FoundFile[]> {
  const { rowWriter, files, count, inOnePass } = options;
  const loaded = new Map<FoundFile, LoadedFile | undefined>();
  for (const file of files) {
    const begun = resumeFile(rowWriter, file);
    if (begun) loaded.set(file, begun);
  }
  const unread = files.filter((file) => !loaded.has(file));
  const rowsJob: ReadJob = {
    pass: "rows",
    paths: unread.map(({ path }) => path),
    words: inOnePass ? "now" : "later",
  };
  const done = new Set<FoundFile>();
  /** The file that is being written. Only the transaction's end saves what is not finished, because that takes longer the more it has. */
  let begun: LoadedFile | undefined;
  const write = (part: FilePart) => {
    addCounts(count.read, part.read);
    if (!inOnePass) count.bytesToReread = (count.bytesToReread ?? 0) + part.read.bytes;
    const file = unread[part.fileNumber] as FoundFile;
    if (!("chunk" in part)) return;
    const known = loaded.has(file) ? loaded.get(file) : beginFile(rowWriter, file, part.stat);
    loaded.set(file, known);
    if (!known) return;
    begun = known;
    known.writer ??= new FileWriter(rowWriter, known.id, file, known.state);
    known.writer.add(part.chunk);
    known.state = part.chunk.state;
    if (!part.end) return;
    saveRows(rowWriter, known, inOnePass ? EXTRACTION : WITHOUT_WORDS, part.end);
    known.isWhole = true;
    known.writer = undefined;
    begun = undefined;
    if (inOnePass) done.add(file);
    options.onFile(file, inOnePass ? known.outcome : undefined);
  };
  const saveBegun = () => begun && saveRows(rowWriter, begun, UNFINISHED);
  const goesOn = await writeInTransactions(options, rowsJob, write, saveBegun);
  if (goesOn === "stop") return [];

  const whole = files
    .map((file) => loaded.get(file))
    .filter((file): file is LoadedFile => file?.isWhole === true && !done.has(file.file));
  if (whole.length === 0) return files.filter((file) => !done.has(file));
  const read = whole.map(
    ({ file, stat, state }): FileToRead => ({ path: file.path, stat, cursor: state.offset }),
  );
  await writeInTransactions(options, { pass: "words", files: read }, (part) => {
    const each = whole[part.fileNumber] as LoadedFile;
    // A file with rows from an earlier load is read for the first time in this one.
    if (each.hasWords) addCounts(count.read, part.read);
    else count.bytesToReread = Math.max(0, (count.bytesToReread ?? 0) - part.read.bytes);
    if (!("words" in part) || !writeWords(rowWriter, each, part)) return;
    done.add(each.file);
    options.onFile(each.file, each.outcome);
  });
  return files.filter((file) => !done.has(file));
}

/** Writes parts as the thread reads them. A transaction spans several messages. @param beforeCommit completes its rows */
async function writeInTransactions(
  { rowWriter, batchBytes, onBegin, onCommit, signal }: LoadOptions,
  job: ReadJob,
  write: (part: FilePart) => void,
  beforeCommit?: () => void,
): Promise<"go on" | "stop"> {
  const maxBytes = job.pass === "rows" ? MAX_ROWS_MESSAGE_BYTES : MAX_WORDS_MESSAGE_BYTES;
  const bytes = Math.min(TRANSACTION_BYTES, batchBytes ?? TRANSACTION_BYTES);
  const messageBytes = Math.min(maxBytes, Math.ceil(bytes / 4));
  let open: { bytes: number; parts: number } | undefined; // the transaction: bytes and parts in it
  const end = () => {
    beforeCommit?.();
    rowWriter.commit();
    open = undefined;
    return onCommit();
  };
  try {
    for await (const { parts, isLast } of readAhead({ job, messageBytes })) {
      if (!open) {
        onBegin();
        open = { bytes: 0, parts: 0 };
        rowWriter.begin();
      }
      for (const part of parts) {
        write(part);
        open.bytes += part.read.bytes;
      }
      open.parts += parts.length;
      const isFull = open.bytes >= bytes || open.parts >= MAX_PARTS;
      if ((isFull || isLast || signal?.aborted) && (await end()) === "stop") return "stop";
    }
    return open ? await end() : "go on"; // the thread failed
  } catch (error) {
    rowWriter.rollBack();
    throw error;
  }
}

function addCounts(to: ReadCounters, { bytes, lines }: ReadCounters): void {
  to.bytes += bytes;
  to.lines += lines;
}

/** Continues a file that has all rows except words from an earlier load. */
function resumeFile(rowWriter: RowWriter, file: FoundFile): LoadedFile | undefined {
  const known = rowWriter.file(file.path);
  if (known?.extraction !== WITHOUT_WORDS) return undefined;
  const isUnchanged = plan(file.stat, { ...known, extraction: EXTRACTION }) === "skip";
  if (!isUnchanged) return undefined;
  const look = toFileStat(file.stat);
  return {
    file,
    id: known.id,
    outcome: "added",
    stat: look,
    state: toReadState(known),
    isWhole: true,
    hasWords: true,
  };
}

/** Starts a file. Undefined if another process has indexed it. */
function beginFile(rowWriter: RowWriter, file: FoundFile, look: FileStat): LoadedFile | undefined {
  const known = rowWriter.file(file.path);
  if (known && plan(look, known) !== "reindex") return undefined;
  if (known) rowWriter.clear(known.id);
  const id = known?.id ?? rowWriter.saveFile(toFileRow(file, look, INITIAL_READ_STATE, UNFINISHED));
  return {
    file,
    id,
    outcome: known ? "reindexed" : "added",
    stat: look,
    state: INITIAL_READ_STATE,
    isWhole: false,
    hasWords: false,
  };
}

/** Saves how far a file is read, and the row of its session. @param end of a file that is written to its end */
function saveRows(
  rowWriter: RowWriter,
  { file, id, stat, state, writer }: LoadedFile,
  extraction: number,
  end?: RowsPart["end"],
): void {
  writer?.finish(stat.mtimeNs, end === undefined);
  const row = toFileRow(file, stat, state, extraction);
  rowWriter.saveFile({ ...row, id, ...end?.recheck, checksums: end?.checksums ?? "" });
}

/** @returns whether the file now has all its words */
function writeWords(rowWriter: RowWriter, file: LoadedFile, { words, isEnd }: WordsPart): boolean {
  if (!file.entries && file.hasWords) rowWriter.clearWords(file.id);
  file.entries ??= rowWriter.entriesOf(file.id)[Symbol.iterator]();
  for (const each of words) {
    const { value: entry, done } = file.entries.next();
    if (done) return false;
    if (each) rowWriter.addWords(entry, each);
  }
  if (!isEnd || !file.entries.next().done) return false;
  rowWriter.finishFile(file.id);
  return true;
}
