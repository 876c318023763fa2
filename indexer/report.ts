/** Progress of a sync. Totals are those of its start. */
export interface SyncProgress {
  filesDone: number;
  filesTotal: number;
  /** Bytes of session files. A large load reads each file twice; each pass counts half. */
  bytesDone: number;
  bytesTotal: number;
  /** How complete the index is. */
  index?: IndexedFiles;
}

/** How many session files the index has. */
export interface IndexedFiles {
  /** Session files below the roots. */
  files: number;
  /** Files with a session in the index, even if they have grown since or are not searchable yet. */
  indexed: number;
}

/** How to sync. */
export interface SyncOptions {
  /** Stops between two transactions; committed work stays. */
  signal?: AbortSignal | undefined;
  /**
   * How long to wait for another sync if there are changes, in milliseconds; `Infinity` waits until it ends. Default: 500.
   */
  patienceMs?: number;
  /** Called before reading, with the amount to read. Not called if there are no changes. */
  onPlan?: (plan: { files: number; bytes: number; index: IndexedFiles }) => void;
  /** Called after each transaction. Not called if there are no changes. A returned promise is awaited. */
  onProgress?: (progress: SyncProgress) => unknown;
}

/** Options of a sync, without its roots. */
export type SyncControl = SyncOptions & {
  /** Whether words of deleted entries are erased, which takes a tenth of a second per sync. Default: true. */
  erases?: boolean;
  /** Approximate bytes of sessions per transaction. */
  batchBytes?: number;
  /** Set by a caller that already holds the writer lock. */
  holdsWriterLock?: boolean;
};

/** The result of a sync. */
export interface SyncReport {
  /** Files with a session's name below the roots. */
  files: number;
  /** Unchanged files. */
  skipped: number;
  added: number;
  appended: number;
  reindexed: number;
  moved: number;
  forgotten: number;
  /** Files that cannot be read; each has a problem row. */
  faulty: number;
  /** Bytes of session files read and lines parsed, each counted once. Both 0 if there are no changes. */
  bytesRead: number;
  linesRead: number;
  /** Bytes read again only to check that a changed file still has its indexed content. */
  bytesVerified: number;
  /** Folders that could not be listed: rows of files below them are those of the last sync. */
  unlisted: { path: string; reason: string }[];
  /** True if another sync was still running: this one changed nothing more. */
  busy: boolean;
  /** Files with rows still out of date at the end: 0 unless `busy`. Files below unlisted folders don't count. */
  behind: number;
  /** Set if another process or handle changed the index since the last sync by this one, or since it was opened: what was read before may be out of date. */
  changedElsewhere?: true;
}

/** The report of a sync that found this many files and has changed nothing yet. */
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
