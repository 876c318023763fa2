/** Bytes that are decompressed as they are read, perhaps followed by those of other files. */
export interface DecompressedBytes {
  /** Of the compressed file, or of the last one: its `stat` changes when the bytes change. */
  readonly fd: number;
  /** Number of bytes of the session. */
  readonly size: number;
  /** Reads bytes at a position into a buffer; may read fewer than `length`, and 0 at the end. */
  read(into: Buffer, offset: number, length: number, position: number): number;
  close(): void;
}

/** An open session file: a file descriptor, or a compressed file. `src/session/session-bytes.ts` opens and reads them. */
export type SessionBytes = number | DecompressedBytes;
