import { closeSync, fstatSync, readSync } from "node:fs";
import type { DecompressedBytes, SessionBytes } from "../session-bytes.ts";

/** Open files whose bytes, one after another, are those of a session. What is written to them later is not read. */
export class JoinedBytes implements DecompressedBytes {
  readonly fd: number;
  readonly size: number;
  readonly #parts: { file: SessionBytes; start: number; end: number }[] = [];

  /** @param files at least one; `close` closes them */
  constructor(files: readonly SessionBytes[]) {
    let end = 0;
    for (const file of files) {
      const start = end;
      end += typeof file === "number" ? fstatSync(file).size : file.size;
      this.#parts.push({ file, start, end });
    }
    this.size = end;
    const last = files.at(-1) as SessionBytes;
    this.fd = typeof last === "number" ? last : last.fd;
  }

  /** Reads at most to the end of one file. */
  read(into: Buffer, offset: number, length: number, position: number): number {
    const part = this.#parts.find(({ end }) => position < end);
    if (!part) return 0;
    const { file, start, end } = part;
    const atMost = Math.min(length, end - position);
    return typeof file === "number"
      ? readSync(file, into, offset, atMost, position - start)
      : file.read(into, offset, atMost, position - start);
  }

  close(): void {
    for (const { file } of this.#parts) {
      if (typeof file === "number") closeSync(file);
      else file.close();
    }
  }
}
