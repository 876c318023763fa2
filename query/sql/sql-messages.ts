/** What the process that runs SQL, its two threads, and whoever asked say to each other. */

/** A value of an answer. Integers that a number cannot hold exactly are text, and so are infinities. */
export type SqlCell = string | number | null | { blob: string };

/** The first message: what is to be done, and how long it may take. */
export interface SqlRequest {
  path: string;
  sql: string;
  maxRows: number | null;
  timeoutMs: number;
}

/** Every later message to it: one batch was read. */
export const MORE = "more";

export type SqlMessage =
  /** Rows; with the first of them the names of the columns, and the last ones say so. */
  | { columns?: string[]; rows: SqlCell[][]; done: boolean }
  /** What SQLite says of the query, with its code. */
  | { failed: { code: string; message: string; hint?: string } }
  /** It was ended since it took too much of this. */
  | { stopped: "time" | "memory" };

/** Batches that are on their way or wait to be read, at most. */
export const BATCHES_AHEAD = 2;

/** What the threads share: how many batches may still be sent, and 1 while the one waits until it may. */
export const CREDIT = 0;
export const WAITING = 1;
