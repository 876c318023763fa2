/** What the process that looks into a database, and whoever asked it to, say to each other. */
import type { ProblemCount } from "./diagnosis.ts";

export interface HealthRequest {
  /** A database file, or undefined to learn of SQLite alone. */
  path: string | undefined;
  /** Problems of files whose paths start with none of these are left out. */
  prefixes: readonly string[];
}

/** A file as it was when it was indexed. */
export interface FileLook {
  path: string;
  inode: string;
  size: number;
  mtime_ns: string;
  ctime_ns: string;
  racy: number;
  cursor: number;
  extraction: number;
}

export interface PageFacts {
  schema: number;
  journalMode: "wal" | "rollback";
  pages: number;
  freePages: number;
  /** Bytes of a write-ahead log that could not be read, so that what stands there is missing in all else. */
  unreadLog: number;
}

/** What can be found out, in this order. */
export type Step = "sqlite" | "indexing" | "pages" | "files" | "problems" | "check";

/** Why something could not be found out. */
export interface Failed {
  step: Step;
  message: string;
  /** What it says of the database; undefined for all else. */
  because?: "broken" | "busy" | "foreign";
}

export type HealthMessage =
  | { sqlite: string }
  /** Whether a pidex is indexing at this moment. */
  | { indexing: boolean }
  | { pages: PageFacts }
  | { files: FileLook[] }
  | { problems: ProblemCount[] }
  /** What SQLite's quick_check says: nothing when all is well. */
  | { check: string[] }
  | { failed: Failed }
  /** The database was written to meanwhile: what was told of it is forgotten, and told anew. */
  | { again: true }
  | { done: true };
