/** Messages between `inspect` and the process that reads the database. */
import type { FileStamp } from "../../src/store/local-reads.ts";
import type { ProblemCount } from "./diagnosis.ts";

export interface HealthRequest {
  /** A database file; undefined to get only the SQLite version. */
  path: string | undefined;
  /** Only problems of files with one of these path prefixes are reported. */
  prefixes: readonly string[];
}

export interface PageFacts {
  schema: number;
  journalMode: "wal" | "rollback";
  pages: number;
  freePages: number;
  /** Size of a write-ahead log that could not be read. The other results lack its contents. */
  unreadLog: number;
}

/** Results by step, in order. */
export interface StepResults {
  sqlite: string;
  /** Whether a pidex process is indexing now. */
  indexing: boolean;
  pages: PageFacts;
  files: FileStamp[];
  problems: ProblemCount[];
  /** Messages of SQLite's quick_check; empty if the database is intact. */
  check: string[];
}

export type Step = keyof StepResults;

/** A step that failed. */
export interface FailedStep {
  step: Step;
  message: string;
  /** The state of the database if it caused the failure. */
  databaseState?: "broken" | "busy" | "foreign";
}

export type HealthMessage =
  | Partial<StepResults>
  | { failed: FailedStep }
  /** The database was written to meanwhile: discard all results about it; they will be sent again. */
  | { again: true }
  | { done: true };
