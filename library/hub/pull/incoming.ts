import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { encodePath } from "../../../src/path-bytes.ts";
import { readAt } from "../../../src/session/lines.ts";
import { syncFolder } from "../../../src/session/writing/replace-file.ts";
import { createPrivateFolder } from "../json-file.ts";

/** Older files were left by a process that was killed, in milliseconds. */
const MAX_AGE_MS = 24 * 60 * 60_000;

const READ_BYTES = 1 << 20;

/** A file that is being written, and becomes a session file when it is complete. Disposing it deletes it, unless it did. */
export class IncomingFile implements Disposable {
  readonly #path: string;
  readonly #fd: number;
  size = 0;

  /** @param folder on the file system of the session files */
  constructor(folder: string) {
    createPrivateFolder(folder);
    this.#path = join(folder, `${randomBytes(8).toString("hex")}.tmp`);
    this.#fd = openSync(this.#path, "wx+", 0o600);
  }

  write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.size + done);
    }
    this.size += bytes.length;
  }

  clear(): void {
    ftruncateSync(this.#fd);
    this.size = 0;
  }

  /** Its bytes. */
  *read(): Generator<Buffer> {
    for (let offset = 0; offset < this.size; offset += READ_BYTES) {
      yield readAt(this.#fd, offset, Math.min(READ_BYTES, this.size - offset));
    }
  }

  /**
   * Gives it its path.
   *
   * @returns false if there is a file already
   */
  moveTo(target: string): boolean {
    fsyncSync(this.#fd);
    createPrivateFolder(dirname(target));
    if (existsSync(encodePath(target))) return false;
    renameSync(this.#path, encodePath(target));
    syncFolder(dirname(target));
    return true;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }
}

/** Deletes what killed processes left. */
export function removeOldIncoming(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (name.endsWith(".tmp") && Date.now() - modified > MAX_AGE_MS) rmSync(path, { force: true });
  }
}
