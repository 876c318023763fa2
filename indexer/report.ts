import type { Root } from "../src/session/locations.ts";

/** How far a sync is, with what it found to do. Totals stay what they were at its beginning. */
export interface SyncProgress {
  filesDone: number;
  filesTotal: number;
  /** Bytes of session files. A load reads them twice: each time counts half. */
  bytesDone: number;
  bytesTotal: number;
  /** The index as a whole. */
  index?: IndexedFiles;
}

/** How much of what there is the index has. */
export interface IndexedFiles {
  /** Session files below the roots. */
  files: number;
  /** Those whose sessions are in the index, though some may have grown since, or wait for their words. */
  indexed: number;
}

/** How to sync. */
export interface SyncOptions {
  /** Stops between two transactions; what was done until then stays. */
  signal?: AbortSignal;
  /**
   * How long another sync is waited for where there is something to do, in milliseconds; `Infinity` waits until it has
   * ended. Default: 500.
   */
  patienceMs?: number;
  /** Called with what there is to read before anything is read, and only where something is new. */
  onPlan?: (plan: { files: number; bytes: number; index: IndexedFiles }) => void;
  /** Called after each transaction, and only when there is something to read. A promise is waited for. */
  onProgress?: (progress: SyncProgress) => unknown;
}

/** A sync of the files below some roots. */
export interface SyncTask extends SyncOptions {
  roots: readonly Root[];
}

/** How a sync works, besides where it looks. */
export type SyncControl = SyncOptions & {
  /** Bytes of sessions that a transaction reads, more or less. */
  batchBytes?: number;
  /** Set by a caller that already holds the database's lock for syncs. */
  hasTurn?: boolean;
};

/** What a sync found and did. */
export interface SyncReport {
  /** Files with a session's name below the roots. */
  files: number;
  /** Files that were as the index knew them. */
  skipped: number;
  added: number;
  appended: number;
  reindexed: number;
  moved: number;
  forgotten: number;
  /** Files that are there but cannot be read; each has a problem row. */
  faulty: number;
  /** Bytes of session files read, and lines parsed, each once. Both 0 when nothing is new. */
  bytesRead: number;
  linesRead: number;
  /** Bytes read again only to see that a grown file is still the one that was indexed. */
  bytesVerified: number;
  /** Folders that could not be listed: what is below them is as it was at the last sync. */
  unlisted: { path: string; reason: string }[];
  /** True when another sync was at work and is not done: the rows are as it left them. */
  busy: boolean;
  /** Files whose rows were behind when this ended: 0 unless `busy`. Those that could not be looked at don't count. */
  behind: number;
}

/** The report of a sync that has found this many files, and done nothing yet. */
export function emptyReport(files: number): SyncReport {
  return {
    files,
    skipped: 0,
    added: 0,
    appended: 0,
    reindexed: 0,
    moved: 0,
    forgotten: 0,
    faulty: 0,
    bytesRead: 0,
    linesRead: 0,
    bytesVerified: 0,
    unlisted: [],
    busy: false,
    behind: 0,
  };
}
