import type { SyncProgress } from "../../index.ts";
import type { Io } from "./io.ts";

/** Work that is done sooner shows no bar. */
const QUIET_MS = 500;
const WIDTH = 28;

/** A progress bar on stderr, which comes only when work takes long, and leaves no trace. */
export class ProgressBar {
  readonly #io: Io;
  readonly #started = Date.now();
  #drawn = false;

  constructor(io: Io) {
    this.#io = io;
  }

  update({ filesDone, filesTotal, bytesDone, bytesTotal }: SyncProgress): void {
    if (!this.#io.showsProgress || Date.now() - this.#started < QUIET_MS) return;
    const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal);
    const full = Math.round(Math.min(1, share) * WIDTH);
    const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    this.#io.err(`\r\x1b[KIndexing ${bar} ${percent}  ${filesDone}/${filesTotal} files, ${bytes(bytesTotal)}`);
    this.#drawn = true;
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn) this.#io.err("\r\x1b[K");
    this.#drawn = false;
  }
}

/** A number of bytes as people write it. */
export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
