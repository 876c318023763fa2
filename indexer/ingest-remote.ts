import type { ClientBase } from "pg";
import { ByteChain, CHAIN_BLOCK_BYTES } from "../src/byte-chain.ts";
import { readAt } from "../src/session/lines.ts";
import { INITIAL_READ_STATE } from "../src/session/read.ts";
import { EXTRACTION } from "../src/store/extraction.ts";
import type { FileState } from "../src/store/file-rows.ts";
import {
  dropProblems,
  filterEntryIds,
  lockFile,
  type MachineFile,
  readEntryLinks,
  readLastMessageTime,
  readLastRange,
  readSession,
  replaceRanges,
  resetFile,
  type StoredFile,
  saveFileState,
  saveLastRange,
} from "../src/store/postgres/files.ts";
import { markUnsettled } from "../src/store/postgres/ledger-rows.ts";
import { readBytes, writeSegments } from "../src/store/postgres/segments.ts";
import { RowWriter } from "../src/store/postgres/write-rows.ts";
import type { SqlEntryId } from "../src/store/schema.ts";
import { asStored, CurrentBranch, findCurrentRanges } from "./branch.ts";
import { Checksums } from "./checksums.ts";
import { type Chunk, readChunks } from "./chunks.ts";
import { unsettleNeighbors } from "./hub-ledger.ts";
import { toFileRows } from "./to-file-rows.ts";

/** Bytes of a file that are read before their rows are written. */
const CHUNK_BYTES = 4 << 20;

/** The bytes of a file. */
export interface FileBytes {
  /** An open file that has them at their offsets. Bytes before the cursor are not read. */
  fd: number;
  /** Where they end. */
  end: number;
  mtimeNs: bigint;
}

/** How far a file is indexed, and the digest of `ByteChain` up to there. */
export interface RemoteState extends FileState {
  digest: string;
  /** The id of its session; undefined without a header. */
  sessionId: string | undefined;
}

/** Reads what is new of a machine's file into a hub's database. Runs in the caller's transaction. */
export async function ingestRemote(
  client: ClientBase,
  file: MachineFile,
  bytes: FileBytes,
): Promise<RemoteState> {
  return ingestLocked(client, await lockRemote(client, file), bytes);
}

/** Finds or adds a machine's file, and locks it until the end of the transaction. */
export function lockRemote(client: ClientBase, file: MachineFile): Promise<StoredFile> {
  return lockFile(client, file, toFileState(INITIAL_READ_STATE), EXTRACTION);
}

/** Deletes all rows of a machine's file, to read it again with the current extraction. Its row must be locked. */
export async function resetRemote(client: ClientBase, file: Pick<StoredFile, "shelf" | "id">): Promise<void> {
  await unsettleNeighbors(client, file);
  await resetFile(client, file, toFileState(INITIAL_READ_STATE), EXTRACTION);
}

/** As `ingestRemote`, for a file with a locked row. */
export async function ingestLocked(
  client: ClientBase,
  stored: StoredFile,
  { fd, end, mtimeNs }: FileBytes,
): Promise<RemoteState> {
  const { cursor: offset, terminated, lines, parsed, version, leaf_id: leafId } = stored;
  const header = stored.header as typeof INITIAL_READ_STATE.header;
  const state = { offset, terminated, lines, parsed, version, header, leafId };
  const [summary, lastMessageTime, chain] = await Promise.all([
    readSession(client, stored),
    readLastMessageTime(client, stored),
    readChain(client, stored),
    dropProblems(client, stored, offset),
  ]);
  const progress = { state, summary, lastMessageTime, checksums: new Checksums() };
  const source = { mtimeNs, machine: stored.machineName, path: stored.path, isKnown: summary !== undefined };
  const writer = new RowWriter(client, stored);
  let leaf = leafId;
  let firstChanged = lines + 1;
  const count = { bytes: 0, lines: 0 };
  let [read, line] = [offset, lines];
  for (const chunk of readChunks(fd, progress, { end, chunkBytes: CHUNK_BYTES, words: "now", count })) {
    const branch = await followBranch(client, stored, chunk, leaf);
    if (branch.isRebuilt) firstChanged = 0;
    leaf = chunk.state.leafId;
    const bytes = readAt(fd, read, chunk.state.offset - read);
    await Promise.all([
      writer.add(toFileRows(chunk, source)),
      writeSegments(client, stored, bytes, read, line + 1),
      branch.isRebuilt || branch.save(),
    ]);
    if (branch.isRebuilt) await branch.save(); // reads the entries that were written
    chain.add(bytes);
    [read, line] = [chunk.state.offset, chunk.state.lines];
  }
  const saved = toFileState(state);
  await Promise.all([
    writer.finish(),
    state.offset > offset && markUnsettled(client, stored, firstChanged),
    saveFileState(client, stored, saved, chain, Number(mtimeNs / 1_000_000n)),
  ]);
  return { ...saved, digest: chain.digest, sessionId: progress.summary?.id };
}

/** The chain of the bytes of a file that the hub has. */
export async function readChain(
  client: ClientBase,
  file: Pick<StoredFile, "shelf" | "id" | "cursor" | "chain">,
): Promise<ByteChain> {
  const tail = file.cursor - (file.cursor % CHAIN_BLOCK_BYTES);
  return new ByteChain(file.chain, await readBytes(client, file, tail, file.cursor));
}

function toFileState({ offset, leafId, ...state }: Chunk["state"]): FileState {
  return { cursor: offset, leaf_id: leafId, ...state };
}

/**
 * Follows the current branch of a file through a chunk.
 *
 * @param leafId of the last entry before it
 * @returns `save` saves the branch, after the chunk's rows were written; `isRebuilt`: whether earlier lines may have left it
 */
async function followBranch(
  client: ClientBase,
  file: StoredFile,
  { entries }: Chunk,
  leafId: StoredFile["leaf_id"],
): Promise<{ save: () => Promise<void>; isRebuilt: boolean }> {
  const ids = entries.flatMap(({ extracted }) => extracted.id ?? []);
  const [last, knownIds] = await Promise.all([
    readLastRange(client, file),
    filterEntryIds(client, file, ids),
  ]);
  /** Of an entry before the chunk, only that there is one matters. */
  const lines = new Map<SqlEntryId, number>(knownIds.map((id) => [id, 0]));
  let save = async (): Promise<void> => {};
  let isRebuilt = false;
  const branch = new CurrentBranch(
    {
      lastRange: () => last,
      lineOf: (_, id) => lines.get(id),
      saveLast(_, range) {
        save = () => saveLastRange(client, file, range);
      },
      replace(_, ranges) {
        save = () => replaceRanges(client, file, ranges);
      },
      rebuild() {
        isRebuilt = true;
        save = async () => replaceRanges(client, file, findCurrentRanges(await readEntryLinks(client, file)));
        return undefined;
      },
    },
    file.id,
    leafId,
  );
  for (const { line, extracted } of entries) {
    branch.add(line, extracted.id, extracted.parentId);
    lines.set(asStored(extracted.id), line);
  }
  branch.save();
  return { save, isRebuilt };
}
