import { closeSync, readSync } from "node:fs";
import type { DecompressedBytes, SessionBytes } from "../session-bytes.ts";

/** The bytes of an open file from `start` to `end` (exclusive). */
export interface BytesPart<File = SessionBytes> {
  file: File;
  start: number;
  end: number;
}

/** Parts of open files that are, one after another, the bytes of a session. What is written to the files later is not read. */
export class JoinedBytes implements DecompressedBytes {
  readonly fd: number;
  readonly size: number;
  /** Each part, and where it ends in the session. */
  readonly #parts: { part: BytesPart; end: number }[] = [];

  /** @param parts at least one; `close` closes their files */
  constructor(parts: readonly BytesPart[]) {
    let end = 0;
    for (const part of parts) {
      end += part.end - part.start;
      this.#parts.push({ part, end });
    }
    this.size = end;
    const { file } = parts.at(-1) as BytesPart;
    this.fd = typeof file === "number" ? file : file.fd;
  }

  /** Reads at most to the end of one part. */
  read(into: Buffer, offset: number, length: number, position: number): number {
    const found = this.#parts.find(({ end }) => position < end);
    if (!found) return 0;
    const { part, end } = found;
    const atMost = Math.min(length, end - position);
    const from = part.end - (end - position);
    return typeof part.file === "number"
      ? readSync(part.file, into, offset, atMost, from)
      : part.file.read(into, offset, atMost, from);
  }

  close(): void {
    for (const file of new Set(this.#parts.map(({ part }) => part.file))) {
      if (typeof file === "number") closeSync(file);
      else file.close();
    }
  }
}
