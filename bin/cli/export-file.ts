import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";

/** Exports contain session text: only the owner may read them, whatever the umask. */
const OWNER_ONLY = 0o600;

/** A file that appears only when it is complete: it is written under a temporary name in the same folder. */
export class ExportFile {
  readonly path: string;
  /** Bytes written so far. */
  bytes = 0;
  readonly #temporary: string;
  readonly #replaces: boolean;
  readonly #fd: number;
  #open = true;

  /** @throws PidexError `BAD_OPTION` if the file exists and `replace` is false; `FILE_UNWRITABLE` */
  constructor(path: string, { replace }: { replace: boolean }) {
    this.path = resolve(path);
    this.#replaces = replace;
    if (!replace && existsSync(this.path)) throw this.#exists();
    const unique = randomBytes(6).toString("hex");
    this.#temporary = join(dirname(this.path), `.${basename(this.path).slice(0, 200)}.${unique}.tmp`);
    this.#fd = this.#inWords(() => openSync(this.#temporary, "wx", OWNER_ONLY));
  }

  /** @throws PidexError `FILE_UNWRITABLE` */
  write(text: string): void {
    const bytes = Buffer.from(text);
    this.#inWords(() => writeFileSync(this.#fd, bytes)); // at the position after the last write
    this.bytes += bytes.length;
  }

  /** Moves the file to its final name. @throws as the constructor */
  finish(): void {
    this.#inWords(() => {
      fchmodSync(this.#fd, OWNER_ONLY); // a umask may have removed bits
      fsyncSync(this.#fd);
      this.#closeFd();
      if (this.#replaces) renameSync(this.#temporary, this.path);
      else this.#renameToNew();
    });
  }

  /** Closes the file, and removes it unless it is finished. */
  close(): void {
    this.#closeFd();
    this.discard();
  }

  /** Removes the temporary file. Writes still succeed, `finish` does not. */
  discard(): void {
    rmSync(this.#temporary, { force: true });
  }

  #closeFd(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }

  /** Fails if the name was taken meanwhile, which a rename would silently replace. */
  #renameToNew(): void {
    try {
      linkSync(this.#temporary, this.path);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EEXIST") throw this.#exists();
      // This file system has no hard links: an empty file reserves the name until the rename replaces it.
      closeSync(openSync(this.path, "wx", OWNER_ONLY));
      renameSync(this.#temporary, this.path);
    }
  }

  #exists(): PidexError {
    return new PidexError(
      "BAD_OPTION",
      `${this.path} already exists`,
      "Choose another name, or pass --force to overwrite it.",
    );
  }

  #inWords<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof PidexError) throw error;
      const reason = toMessage(error);
      const hint = "Check the folder, its permissions and the free disk space.";
      throw new PidexError("FILE_UNWRITABLE", `cannot write ${this.path}: ${reason}`, hint, {
        cause: error,
      });
    }
  }
}
