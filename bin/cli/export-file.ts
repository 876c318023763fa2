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
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { PidexError } from "../../library/index.ts";

/** Only its owner may read what was taken out of sessions, whatever the umask. */
const OWNER_ONLY = 0o600;

/** A file that is there when all of it is: it is written under another name beside its own. */
export class ExportFile {
  readonly path: string;
  /** How many were written. */
  bytes = 0;
  readonly #temporary: string;
  readonly #replaces: boolean;
  readonly #fd: number;
  #open = true;

  /** @throws PidexError `BAD_OPTION` when there is such a file and it may not be replaced; `FILE_UNWRITABLE` */
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
    this.#inWords(() => {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
    });
    this.bytes += bytes.length;
  }

  /** Gives the file its name. @throws as the constructor does */
  finish(): void {
    this.#inWords(() => {
      fchmodSync(this.#fd, OWNER_ONLY); // a umask may have taken something of it away
      fsyncSync(this.#fd);
      this.#closeFd();
      if (this.#replaces) renameSync(this.#temporary, this.path);
      else this.#renameToNew();
    });
  }

  /** Leaves nothing behind but a finished file. */
  close(): void {
    this.#closeFd();
    this.discard();
  }

  /** Takes away what was written so far: it may still be written to, but cannot be finished any more. */
  discard(): void {
    rmSync(this.#temporary, { force: true });
  }

  #closeFd(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }

  /** A rename would replace what came there meanwhile; a link does not. */
  #renameToNew(): void {
    try {
      linkSync(this.#temporary, this.path);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EEXIST") throw this.#exists();
      // No links on this file system. A file of its own holds the name until it is replaced.
      closeSync(openSync(this.path, "wx", OWNER_ONLY));
      renameSync(this.#temporary, this.path);
    }
  }

  #exists(): PidexError {
    return new PidexError(
      "BAD_OPTION",
      `${this.path} exists already`,
      "Give another name, or --force to replace it.",
    );
  }

  #inWords<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof PidexError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const hint = "Look at the folder, its permissions and the room on its disk.";
      throw new PidexError("FILE_UNWRITABLE", `${this.path} cannot be written: ${reason}`, hint, {
        cause: error,
      });
    }
  }
}
