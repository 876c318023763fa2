import type { ReadCount } from "../src/session/lines.ts";
import { type ReadState, START } from "../src/session/read.ts";
import { EXTRACTION, UNFINISHED, WORDLESS } from "../src/store/sqlite/extraction.ts";
import type { FoundFile } from "./discover.ts";
import type { Part, ReadFile, ReadingJob, RowsPart, WordsPart } from "./file-parts.ts";
import { FileWriter } from "./file-writer.ts";
import { fileRow, type IngestCount, type Ingested, stateOf } from "./ingest.ts";
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
/** Bytes of sessions in one message of the thread. Their rows take many times that in memory, and four messages wait. */
const ROWS_BYTES = 256 << 10;
const WORDS_BYTES = 512 << 10;
/** As many messages are read ahead. */
const AHEAD = 4;

interface LoadOptions {
  rows: Rows;
  /** Those of which nothing is known, or nothing that can stay. */
  files: readonly FoundFile[];
  /** Bytes of sessions that a transaction reads at most, where that is asked for. */
  batchBytes: number | undefined;
  count: IngestCount;
  /** Told when the rows of a file are written, or its words, and that is done with them. */
  onFile: (file: FoundFile, outcome?: Ingested["outcome"]) => void;
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
  const goesOn = await inTransactions(options, rowsJob, "first", (part) => {
    const file = unread[part.n] as FoundFile;
    if (!("chunk" in part)) return;
    const known = loaded.has(file) ? loaded.get(file) : begin(rows, file, part.look);
    loaded.set(file, known && writeRows(rows, known, part));
    if (known && part.end) options.onFile(file);
  });
  if (goesOn === "stop") return [];

  const done = new Set<FoundFile>();
  const whole = files
    .map((file) => loaded.get(file))
    .filter((file): file is LoadedFile => file?.isWhole === true);
  // Of files that another load has read for their rows, this one reads every byte for the first time.
  for (const time of ["first", "second"] as const) {
    const some = whole.filter(({ hasWords }) => hasWords === (time === "first"));
    if (some.length === 0) continue;
    const read = some.map(
      ({ file, look, state }): ReadFile => ({ path: file.path, look, cursor: state.offset }),
    );
    const on = await inTransactions(options, { pass: "words", files: read }, time, (part) => {
      const each = some[part.n] as LoadedFile;
      if (!("words" in part) || !writeWords(rows, each, part)) return;
      done.add(each.file);
      options.onFile(each.file, each.outcome);
    });
    if (on === "stop") break;
  }
  return files.filter((file) => !done.has(file));
}

/**
 * Writes what the thread reads as it comes. A transaction stays open from one message to the next.
 *
 * @param time whether the bytes are read for the first time in this load: only then they count as read
 */
async function inTransactions(
  { rows, count, batchBytes, onBegin, onCommit, signal }: LoadOptions,
  job: ReadingJob,
  time: "first" | "second",
  write: (part: Part) => void,
): Promise<"go on" | "stop"> {
  const before = structuredClone(count);
  const mostBytes = job.pass === "rows" ? ROWS_BYTES : WORDS_BYTES;
  const bytes = Math.min(TRANSACTION_BYTES, batchBytes ?? TRANSACTION_BYTES);
  const messageBytes = Math.min(mostBytes, Math.ceil(bytes / 4));
  let readBefore = 0; // by this job
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
        open = { bytes: readBefore, parts: 0 };
        rows.begin();
      }
      for (const part of parts) write(part);
      open.parts += parts.length;
      readBefore = sofar.bytes;
      if (time === "first") count.read = added(before.read, sofar);
      if (job.pass === "rows") count.halfRead = sofar.bytes;
      else if (time === "second") count.halfRead = Math.max(0, (before.halfRead ?? 0) - sofar.bytes);
      const isFull = readBefore >= open.bytes + bytes || open.parts >= MOST_PARTS;
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
  const writer = new FileWriter(rows, { id, path: file.path, outside: file.outside }, state);
  writer.add(chunk);
  writer.end(look.mtimeNs);
  const row = fileRow(file, look, chunk.state, end ? WORDLESS : UNFINISHED);
  rows.saveFile({ ...row, id, ...end?.recheck, checksums: end?.checksums ?? "" });
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
