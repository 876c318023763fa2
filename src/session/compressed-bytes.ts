/** Compressed session files: zstd frames and a seek table, the "zstd seekable format". `zstd -d` reads them too. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { ZlibOptions, ZstdOptions } from "node:zlib";
import { PidexError } from "../errors.ts";
import type { DecompressedBytes } from "../session-bytes.ts";

/** A frame: where it is in the file, and which bytes of the session it holds. */
interface Frame {
  fileOffset: number;
  compressedSize: number;
  /** Position of its first byte in the session. */
  start: number;
  size: number;
}

type FrameSizes = Pick<Frame, "compressedSize" | "size">;

/** A skippable frame holds the seek table; all numbers are little-endian and of 4 bytes. */
const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const FRAME_HEADER_BYTES = 8;
const FOOTER_BYTES = 9;
/** A bit of the footer's descriptor byte: each frame has a checksum in the table too. */
const HAS_CHECKSUMS = 0x80;

/** Greatest size of a frame that is read: bounds memory against files that pidex did not write. */
const MAX_FRAME_BYTES = 64 << 20;

/** Frames kept decompressed per open file: a line may be in two. */
const MAX_CACHED_FRAMES = 2;

/** An open compressed session file, of which the bytes of the session are read at any position. */
export class CompressedBytes implements DecompressedBytes {
  readonly fd: number;
  /** Number of bytes of the session. */
  readonly size: number;
  readonly #path: string;
  readonly #frames: readonly Frame[];
  /** Decompressed frames by number, the last used last. */
  readonly #cached = new Map<number, Buffer>();

  /** @param fd is closed by `close` @throws PidexError `FILE_UNREADABLE` if it has no valid seek table */
  constructor(fd: number, path: string) {
    this.fd = fd;
    this.#path = path;
    this.#frames = readSeekTable(fd, path);
    const last = this.#frames.at(-1);
    this.size = last ? last.start + last.size : 0;
  }

  /** Reads bytes at a position of the session, at most to the end of its frame; 0 at the end. @throws PidexError `FILE_UNREADABLE` */
  read(into: Buffer, offset: number, length: number, position: number): number {
    if (position >= this.size || length === 0) return 0;
    const number = this.#findFrame(position);
    const from = position - (this.#frames[number] as Frame).start;
    return this.#decompress(number).copy(into, offset, from, from + length);
  }

  close(): void {
    closeSync(this.fd);
  }

  /** The number of the frame that holds a position before the end. */
  #findFrame(position: number): number {
    let [low, high] = [0, this.#frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#frames[middle] as Frame).start <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #decompress(number: number): Buffer {
    const known = this.#cached.get(number);
    if (known) return known;
    const { fileOffset, compressedSize, size } = this.#frames[number] as Frame;
    const bytes = decompressFrame(readExactly(this.fd, fileOffset, compressedSize), size, this.#path);
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAX_CACHED_FRAMES) this.#cached.delete(oldest);
    this.#cached.set(number, bytes);
    return bytes;
  }
}

/** The smallest that zlib accepts is 64. */
const MIN_CHUNK_BYTES = 1024;

/** Compresses bytes to one frame, with a checksum of its content. */
export function compressFrame(bytes: Uint8Array): Buffer {
  const { zstdCompressSync, constants } = loadZlib();
  return zstdCompressSync(bytes, {
    // Output that fits one chunk is not copied.
    chunkSize: Math.max(MIN_CHUNK_BYTES, bytes.length + (bytes.length >> 7)),
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

function decompressFrame(bytes: Buffer, size: number, path: string): Buffer {
  try {
    const content = loadZlib().zstdDecompressSync(bytes, {
      chunkSize: Math.max(MIN_CHUNK_BYTES, size + 1),
      maxOutputLength: size,
    });
    if (content.length === size) return content;
    throw new Error(`a frame holds ${content.length} bytes instead of ${size}`);
  } catch (cause) {
    throw damaged(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

type ZstdZlib = typeof import("node:zlib") & {
  zstdCompressSync(bytes: Uint8Array, options?: ZstdOptions): Buffer;
  zstdDecompressSync(bytes: Uint8Array, options?: ZlibOptions): Buffer;
};

/** Loaded only for compressed files: most commands meet none. */
function loadZlib(): ZstdZlib {
  return process.getBuiltinModule("node:zlib") as ZstdZlib;
}

/** The seek table that ends a compressed file, by the sizes of its frames. */
export function formatSeekTable(frames: readonly FrameSizes[]): Buffer {
  const table = Buffer.alloc(FRAME_HEADER_BYTES + 8 * frames.length + FOOTER_BYTES);
  let at = table.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  at = table.writeUInt32LE(table.length - FRAME_HEADER_BYTES, at);
  for (const { compressedSize, size } of frames) {
    at = table.writeUInt32LE(compressedSize, at);
    at = table.writeUInt32LE(size, at);
  }
  at = table.writeUInt32LE(frames.length, at);
  at = table.writeUInt8(0, at);
  table.writeUInt32LE(SEEKABLE_MAGIC, at);
  return table;
}

/** Reads the table from the end of the file. @throws PidexError `FILE_UNREADABLE` if its sizes are not those of the file */
function readSeekTable(fd: number, path: string): Frame[] {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw damaged(path, "it is not a regular file");
  const footer = readExactly(fd, Math.max(0, stat.size - FOOTER_BYTES), Math.min(stat.size, FOOTER_BYTES));
  if (footer.length < FOOTER_BYTES || footer.readUInt32LE(5) !== SEEKABLE_MAGIC) throw notSeekable(path);
  const count = footer.readUInt32LE(0);
  const entryBytes = footer.readUInt8(4) & HAS_CHECKSUMS ? 12 : 8;
  const tableBytes = FRAME_HEADER_BYTES + entryBytes * count + FOOTER_BYTES;
  if (tableBytes > stat.size) throw damaged(path, "its seek table is longer than the file");
  const table = readExactly(fd, stat.size - tableBytes, tableBytes);
  const isHeader =
    table.readUInt32LE(0) === SKIPPABLE_MAGIC && table.readUInt32LE(4) === tableBytes - FRAME_HEADER_BYTES;
  if (!isHeader) throw damaged(path, "its seek table has no header");
  const frames: Frame[] = [];
  let [fileOffset, start] = [0, 0];
  for (let n = 0; n < count; n++) {
    const at = FRAME_HEADER_BYTES + entryBytes * n;
    const [compressedSize, size] = [table.readUInt32LE(at), table.readUInt32LE(at + 4)];
    if (size > MAX_FRAME_BYTES) throw damaged(path, `a frame of ${size} bytes is too large`);
    if (size > 0) frames.push({ fileOffset, compressedSize, start, size });
    fileOffset += compressedSize;
    start += size;
  }
  if (fileOffset !== stat.size - tableBytes) throw damaged(path, "its seek table does not fit its frames");
  return frames;
}

/** Reads `length` bytes at an offset; fewer only at the end of the file. */
function readExactly(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(fd, buffer, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function damaged(path: string, reason: string, cause?: unknown): PidexError {
  const hint = "Restore the file from a backup, or try zstd -d.";
  return new PidexError("FILE_UNREADABLE", `${path} cannot be decompressed: ${reason}`, hint, { cause });
}

function notSeekable(path: string): PidexError {
  const hint = "pidex reads only files that pidex prune --compress wrote. Decompress it: zstd -d FILE.";
  return new PidexError("FILE_UNREADABLE", `${path} has no seek table`, hint);
}
