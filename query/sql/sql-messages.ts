/** Messages between the caller, the process that runs SQL, and its two threads. */

/** A result value. Infinities, and integers that a number can't represent exactly, are strings; blobs are in hex. */
export type SqlCell = string | number | null | { blob: string };

/** The first message to the process. Each later one says that a batch has been read. */
export interface SqlRequest {
  path: string;
  sql: string;
  maxRows: number | null;
  timeoutMs: number;
}

export type SqlMessage =
  /** A batch of rows. The first one has the column names. */
  | { columns?: string[]; rows: SqlCell[][]; done: boolean }
  /** SQLite's error code and message. */
  | { failed: { code: string; message: string; hint?: string } }
  /** The query exceeded this limit. */
  | { stopped: "time" | "memory" };

/** Maximum number of batches sent but not yet read. */
export const MAX_UNREAD_BATCHES = 2;

/** Indexes into the memory shared by the threads: how many batches may be sent, and 1 while the query waits to send. */
export const CREDIT_SLOT = 0;
export const WAITING_SLOT = 1;
