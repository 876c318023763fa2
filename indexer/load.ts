import { EXTRACTION } from "../src/database/extraction.ts";
import type { ReadCount } from "../src/session/lines.ts";
import { type ReadState, START } from "../src/session/read.ts";
import type { FoundFile } from "./discover.ts";
import type { Part, ReadFile, ReadingJob, RowsPart, WordsPart } from "./file-parts.ts";
import { FileWriter } from "./file-writer.ts";
import { fileRow, type IngestCount, type Ingested, stateOf } from "./ingest.ts";
import { unpackParts } from "./packed-message.ts";
import { type FileLook, lookOf, plan } from "./plan.ts";
import { readAhead } from "./read-ahead.ts";
import type { Rows } from "./rows.ts";

/**
 * Bytes of sessions that one transaction reads. Ids and hashes are spread over their indexes: the fewer transactions there
 * are, the less often each page of those is written.
 */
const TRANSACTION_BYTES = 64 << 20;
/** Where files are small, as many of their parts do. */
const MOST_PARTS = 5_000;
/** Bytes of sessions in one message of the thread: their rows take many times that in memory, and words less than once. */
const ROWS_BYTES = 1 << 20;
const WORDS_BYTES = 2 << 20;
/** As many messages are read ahead. */
const AHEAD = 4;

/** The extraction of a file whose rows are not all there: whoever finds that reads it anew. */
const UNFINISHED = 0;
/** The extraction of a file that has all rows but its words, or some of those: a load goes on there. */
const WORDLESS = -EXTRACTION;

interface LoadOptions {
  rows: Rows;
  /** Those of which nothing is known, or nothing that can stay. */
  files: readonly FoundFile[];
  /** Bytes of sessions that a transaction reads at most, where that is asked for. */
  batchBytes: number | undefined;
  count: IngestCount;
  /** Told when the rows of a file are written, or its words, and that is done with them. */
  onFile: (outcome?: Ingested["outcome"]) => void;
  /** Told before a transaction begins. */
  onBegin: () => void;
  /** Told when one was committed; says whether to go on. */
  onCommit: () => Promise<"go on" | "stop">;
  signal?: AbortSignal | undefined;
}

/** A file whose rows are written, or begun. */
interface LoadedFile {
  file: FoundFile;
  id: number;
  outcome: Ingested["outcome"];
  look: FileLook;
  state: ReadState;
  isWhole: boolean;
  /** True when another load may have left some of its words. */
  hasWords: boolean;
  /** Its entries that still wait for their words. */
  entries?: Iterator<number>;
}

/**
 * Reads many whole files, in a thread beside the one that writes, in two passes: first all rows but words, so that
 * sessions are listed and costs known early; then the words. Until those are there, too, a file's row says that it is not
 * done; a load that was stopped between the passes goes on with the second.
 *
 * @returns what is left to be ingested file by file: what is no file, cannot be read or changed meanwhile, and all that
 * was not done when the thread could not go on
 */
export async function load(options: LoadOptions): Promise<FoundFile[]> {
  const { rows, files } = options;
  const loaded = new Map<FoundFile, LoadedFile | undefined>();
  for (const file of files) {
    const begun = resume(rows, file);
    if (begun) loaded.set(file, begun);
  }
  const unread = files.filter((file) => !loaded.has(file));
  const rowsJob: ReadingJob = { pass: "rows", paths: unread.map(({ path }) => path) };
  const goesOn = await inTransactions(options, rowsJob, ROWS_BYTES, (part) => {
    const file = unread[part.n] as FoundFile;
    if (!("chunk" in part)) return;
    const known = loaded.has(file) ? loaded.get(file) : begin(rows, file, part.look);
    loaded.set(file, known && writeRows(rows, known, part));
    if (known && part.end) options.onFile();
  });
  if (goesOn === "stop") return [];

  const done = new Set<FoundFile>();
  const whole = files
    .map((file) => loaded.get(file))
    .filter((file): file is LoadedFile => file?.isWhole === true);
  const read = whole.map(
    ({ file, look, state }): ReadFile => ({ path: file.path, look, cursor: state.offset }),
  );
  await inTransactions(options, { pass: "words", files: read }, WORDS_BYTES, (part) => {
    const each = whole[part.n] as LoadedFile;
    if (!("words" in part) || !writeWords(rows, each, part)) return;
    done.add(each.file);
    options.onFile(each.outcome);
  });
  return files.filter((file) => !done.has(file));
}

/** Writes what the thread reads as it comes. A transaction stays open from one message to the next. */
async function inTransactions(
  { rows, count, batchBytes, onBegin, onCommit, signal }: LoadOptions,
  job: ReadingJob,
  mostBytes: number,
  write: (part: Part) => void,
): Promise<"go on" | "stop"> {
  const before = structuredClone(count);
  const bytes = Math.min(TRANSACTION_BYTES, batchBytes ?? TRANSACTION_BYTES);
  const messageBytes = Math.min(mostBytes, Math.ceil(bytes / 4));
  let open: { bytes: number; parts: number } | undefined; // what was read before it, and what it has so far
  const end = () => {
    rows.commit();
    open = undefined;
    return onCommit();
  };
  try {
    for await (const message of readAhead({ job, messageBytes, ahead: AHEAD })) {
      const { parts, count: sofar, isLast } = message;
      if (!open) {
        onBegin();
        open = { bytes: count.read.bytes, parts: 0 };
        rows.begin();
      }
      for (const part of unpackParts(message)) write(part);
      open.parts += parts.length;
      count.read = added(before.read, sofar.read);
      count.verified = added(before.verified, sofar.verified);
      const isFull = count.read.bytes >= open.bytes + bytes || open.parts >= MOST_PARTS;
      if ((isFull || isLast || signal?.aborted) && (await end()) === "stop") return "stop";
    }
    return open ? await end() : "go on"; // the thread could not go on
  } catch (error) {
    rows.rollBack();
    throw error;
  }
}

function added(a: ReadCount, b: ReadCount): ReadCount {
  return { bytes: a.bytes + b.bytes, lines: a.lines + b.lines };
}

/** A file of which another load has all rows but words. */
function resume(rows: Rows, file: FoundFile): LoadedFile | undefined {
  const here = rows.file(file.path);
  if (here?.extraction !== WORDLESS) return undefined;
  const isAsItWas = plan(file.stat, { ...here, extraction: EXTRACTION }) === "skip";
  if (!isAsItWas) return undefined;
  const look = lookOf(file.stat);
  return { file, id: here.id, outcome: "added", look, state: stateOf(here), isWhole: true, hasWords: true };
}

/** Undefined when another process was faster. */
function begin(rows: Rows, file: FoundFile, look: FileLook): LoadedFile | undefined {
  const here = rows.file(file.path);
  if (here && plan(look, here) !== "reindex") return undefined;
  if (here) rows.clear(here.id);
  const id = here?.id ?? rows.saveFile(fileRow(file, look, START, UNFINISHED));
  return {
    file,
    id,
    outcome: here ? "reindexed" : "added",
    look,
    state: START,
    isWhole: false,
    hasWords: false,
  };
}

function writeRows(rows: Rows, loaded: LoadedFile, { chunk, end }: RowsPart): LoadedFile {
  const { file, id, look, state } = loaded;
  const writer = new FileWriter(rows, { id, path: file.path }, state);
  writer.add(chunk);
  writer.end(look.mtimeNs);
  const row = fileRow(file, look, chunk.state, end ? WORDLESS : UNFINISHED);
  rows.saveFile({ ...row, id, racy: end?.racy ?? 0, prefix_hash: end?.prefixHash ?? "" });
  return { ...loaded, state: chunk.state, isWhole: end !== undefined };
}

/** @returns whether the file has all its words now */
function writeWords(rows: Rows, file: LoadedFile, { words, isEnd }: WordsPart): boolean {
  if (!file.entries && file.hasWords) rows.clearWords(file.id);
  file.entries ??= rows.entriesOf(file.id)[Symbol.iterator]();
  for (const each of words) {
    const { value: entry, done } = file.entries.next();
    if (done) return false;
    if (each) rows.addWords(entry, each);
  }
  if (!isEnd || !file.entries.next().done) return false;
  rows.finishFile(file.id);
  return true;
}
