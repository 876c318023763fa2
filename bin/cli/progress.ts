import type { SyncProgress } from "../../library/index.ts";
import { bytes } from "../format/bytes.ts";
import { cut } from "../format/text.ts";
import type { Io } from "./io.ts";

/** Work that is done sooner shows no bar. */
const QUIET_MS = 500;
const WIDTH = 28;

/** A progress bar on stderr, which comes only when work takes long, and leaves no trace. */
export class ProgressBar {
  readonly #io: Io;
  readonly #what: string;
  readonly #started = Date.now();
  #drawn = false;

  /** @param what what is being done: `Indexing` */
  constructor(io: Io, what: string) {
    this.#io = io;
    this.#what = what;
  }

  update({ filesDone, filesTotal, bytesDone, bytesTotal, index }: SyncProgress): void {
    if (!this.#io.showsProgress || Date.now() - this.#started < QUIET_MS) return;
    const share = Math.min(1, bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal));
    const width = this.#io.columns < 70 ? 10 : WIDTH;
    const full = Math.round(share * width);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const files = index ? `${index.indexed}/${index.files}` : `${filesDone}/${filesTotal}`;
    const line = `${this.#what} ${bar} ${percent}  ${files} files, ${bytes(bytesTotal)}`;
    // A line that wraps could not be taken away again.
    this.#io.err(`\r\x1b[K${cut(line, this.#io.columns - 1)}`);
    this.#drawn = true;
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn) this.#io.err("\r\x1b[K");
    this.#drawn = false;
  }
}
