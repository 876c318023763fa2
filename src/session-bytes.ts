/** Bytes that are decompressed as they are read. */
export interface DecompressedBytes {
  /** Of the compressed file. */
  readonly fd: number;
  /** Number of decompressed bytes. */
  readonly size: number;
  /** Reads bytes at a position into a buffer; may read fewer than `length`, and 0 at the end. */
  read(into: Buffer, offset: number, length: number, position: number): number;
}

/** An open session file: a file descriptor, or a compressed file. `src/session/session-bytes.ts` opens and reads them. */
export type SessionBytes = number | DecompressedBytes;
