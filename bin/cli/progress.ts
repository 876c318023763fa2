import type { SyncProgress } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { truncate } from "../format/text.ts";
import type { Io } from "./io.ts";

/** Shorter work shows no bar. */
const BAR_DELAY_MS = 500;
const WIDTH = 28;

/** A progress bar on stderr. It appears only if work takes long, and is erased afterwards. */
export class ProgressBar {
  readonly #io: Io;
  readonly #what: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawn = false;

  /**
   * @param what the activity, such as `Indexing`
   * @param now the clock, in milliseconds
   */
  constructor(io: Io, what: string, now: () => number = Date.now) {
    this.#io = io;
    this.#what = what;
    this.#now = now;
    this.#startedAt = now();
  }

  update({ filesDone, filesTotal, bytesDone, bytesTotal, index }: SyncProgress): void {
    if (!this.#io.showsProgress || this.#now() - this.#startedAt < BAR_DELAY_MS) return;
    const share = Math.min(1, bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal));
    const width = this.#io.columns < 70 ? 10 : WIDTH;
    const full = Math.round(share * width);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const files = index ? `${index.indexed}/${index.files}` : `${filesDone}/${filesTotal}`;
    const line = `${this.#what} ${bar} ${percent}  ${files} files, ${formatBytes(bytesTotal)}`;
    // A wrapped line couldn't be erased.
    this.#io.err(`\r\x1b[K${truncate(line, this.#io.columns - 1)}`);
    this.#drawn = true;
  }

  /** Erases the bar. */
  clear(): void {
    if (this.#drawn) this.#io.err("\r\x1b[K");
    this.#drawn = false;
  }
}
