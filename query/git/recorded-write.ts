import type { FileChange } from "../../src/session/file-change.ts";
import type { ShownHunk } from "./shown-diff.ts";

/** A successful tool call that changed a file. */
export interface RecordedWrite {
  /** Distinguishes it from the other writes of a request. */
  id: number;
  /** The store's id of the session. */
  session: number;
  /** The line of the entry with the call, in the session file. */
  line: number;
  /** When it ended, in Unix milliseconds. */
  time: number;
  /** The working tree, and the path in it, with slashes. */
  tree: string;
  file: string;
  change: FileChange;
  /** The diff that the tool showed; may be empty. */
  shown: readonly ShownHunk[];
}

/** A line that a write gave a file. Its id is the same on whatever version of the file the write is replayed. */
export interface OwnedLine {
  write: RecordedWrite;
  id: string;
}
