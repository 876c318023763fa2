/** Reads one line of a file as it is now. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fsPath, PidexError } from "../../../library/index.ts";
import { HEAD_BYTES } from "./line-parts.ts";

/** A longer line is not read whole. */
const MOST_BYTES = 64 << 20;
const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

export interface RawLine {
  /** All of it, or its beginning where it is too long. */
  bytes: Uint8Array;
  isWhole: boolean;
}

/**
 * The line that begins at a byte of a file, without what ends it.
 *
 * @throws PidexError `FILE_UNREADABLE`; `FILE_CHANGED` where no line begins there
 */
export async function readLineAt(path: string, byteOffset: number): Promise<RawLine> {
  let file: FileHandle | undefined;
  try {
    // A pipe would be waited for.
    file = await open(fsPath(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = await file.stat();
    if (!stat.isFile())
      throw new PidexError("FILE_UNREADABLE", `${path} is no file`, "There is nothing to see.");
    await checkBegin(file, path, byteOffset, stat.size);
    return await readTo(file, byteOffset, stat.size);
  } catch (cause) {
    if (cause instanceof PidexError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${why}`, "Look at it in a terminal.", {
      cause,
    });
  } finally {
    await file?.close();
  }
}

async function checkBegin(file: FileHandle, path: string, byteOffset: number, size: number): Promise<void> {
  if (byteOffset === 0) return;
  const before = Buffer.alloc(1);
  if (byteOffset <= size) await file.read(before, 0, 1, byteOffset - 1);
  const isAfterMark = byteOffset === 3; // what the mark says is no part of a line
  if (byteOffset <= size && (before[0] === NEWLINE || isAfterMark)) return;
  const hint = "It is read again as it is now: ask again in a moment.";
  throw new PidexError("FILE_CHANGED", `no line of ${path} begins at byte ${byteOffset} any more`, hint);
}

async function readTo(file: FileHandle, from: number, size: number): Promise<RawLine> {
  const chunks: Buffer[] = [];
  let read = 0;
  while (from + read < size) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - from - read));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from + read);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    const end = part.indexOf(NEWLINE);
    chunks.push(end < 0 ? part : part.subarray(0, end));
    if (end >= 0) break;
    read += bytesRead;
    if (read > MOST_BYTES) return { bytes: Buffer.concat(chunks, HEAD_BYTES), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
