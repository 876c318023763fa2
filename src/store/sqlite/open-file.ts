import { LONG_LINE_HEAD_BYTES, MAX_LINE_BYTES, readAt } from "../../session/lines.ts";
import { openForReading } from "../../session/open-for-reading.ts";
import { closeBytes, type SessionBytes } from "../../session/session-bytes.ts";
import { toUnreadableError } from "../../unreadable-error.ts";
import type { LinePlace } from "../entry-reads.ts";
import type { LocalFile } from "../local-reads.ts";

/** A session file that lines are read from by their offsets. */
export class OpenFile implements LocalFile {
  readonly fd: SessionBytes;
  readonly #path: string;

  /** @throws PidexError `FILE_UNREADABLE` */
  constructor(path: string) {
    this.#path = path;
    try {
      this.fd = openForReading(path);
    } catch (error) {
      throw toUnreadableError(path, error);
    }
  }

  read({ byte_offset: offset, byte_length: length }: LinePlace): Buffer {
    try {
      return readAt(this.fd, offset, length > MAX_LINE_BYTES ? LONG_LINE_HEAD_BYTES : length);
    } catch (error) {
      throw toUnreadableError(this.#path, error); // a folder or a pipe replaced the file
    }
  }

  close(): void {
    closeBytes(this.fd);
  }
}
