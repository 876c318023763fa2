import type { SessionBytes } from "../session-bytes.ts";
import type { SessionCondition } from "./conditions.ts";
import type { LinePlace, LineSource } from "./entry-reads.ts";
import type { Position } from "./position.ts";
import type { ScanReads } from "./scan-reads.ts";
import type { EntryTable, FileTable } from "./schema.ts";
import type { SessionRow } from "./session-reads.ts";
import type { Store } from "./store.ts";

/** A store on the computer with the session files, which can be read as a whole. */
export interface LocalStore extends Store {
  local(): Promise<LocalReads>;
}

/** Reads of session files as such, including those that are not sessions. */
export interface LocalReads {
  readonly scan: ScanReads;
  /** @throws PidexError `FILE_UNREADABLE` */
  openFile(path: string): LocalFile;
  /** The recorded state of all files, in any order. */
  listStates(): Promise<FileStateRow[]>;
  /** The files that satisfy a condition, most recently modified session first. */
  listFiles(condition: SessionCondition): Promise<LocalFileRow[]>;
  /** The entries that take at least this many bytes, in file order. */
  listLargeLines(minBytes: number): Promise<LargeLineRow[]>;
  /** The first entry of a file at or beyond an offset. @param after only entries after this one, which are all later in the file */
  findEntry(
    file: number,
    byteOffset: number,
    after: Position | undefined,
  ): Promise<LocalEntryRow | undefined>;
}

/** An open session file. */
export interface LocalFile extends LineSource {
  /** For reading other parts of the file. */
  readonly fd: SessionBytes;
  read(place: LinePlace): Buffer;
}

/** A file's stat when it was indexed, and how far it was read. */
export type FileStamp = Pick<
  FileTable,
  "path" | "inode" | "size" | "mtime_ns" | "ctime_ns" | "racy" | "cursor" | "extraction"
>;

/** A file's recorded state, and its session. */
export type FileStateRow = FileStamp &
  SessionRow & {
    /** 1 if it could not be read. */
    faulty: number;
    /** 0 if it is not a session: its columns are null then. */
    is_session: number;
  };

export interface LocalFileRow extends Pick<FileTable, "path" | "size"> {
  file: number;
  /** Null if the file is not a session. */
  session_id: string | null;
}

export interface LargeLineRow extends LinePlace, Pick<EntryTable, "role">, Pick<FileTable, "path"> {}

export interface LocalEntryRow
  extends Pick<EntryTable, "entry_id" | "type" | "role" | "timestamp" | "byte_offset"> {
  position: Position;
}
