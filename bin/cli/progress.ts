import type { ScanProgress, SyncProgress } from "../../library/index.ts";
import { formatBytes } from "../format/bytes.ts";
import { formatDuration } from "../format/numbers.ts";
import { truncate } from "../format/text.ts";
import type { Io } from "./io.ts";

/** Work this long shows about how much longer it takes, once this share of it is done. */
const ESTIMATE_DELAY_MS = 5000;
const MIN_SHARE_FOR_ESTIMATE = 0.05;

/** Shorter work shows no bar. */
const BAR_DELAY_MS = 500;
const WIDTH = 28;

/** What is known of a scan at its end. */
export interface ScanOutcome<Report> {
  count: number;
  report?: Report;
}

/** A progress bar on stderr. It appears only if work takes long, and is erased afterwards. */
export class ProgressBar {
  readonly #io: Io;
  readonly #activity: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawn = false;
  /** The activity that the bar shows, and since when. */
  #current: { activity: string; startedAt: number };

  /**
   * @param activity what takes long, such as `Indexing`
   * @param now the clock, in milliseconds
   */
  constructor(io: Io, activity: string, now: () => number = Date.now) {
    this.#io = io;
    this.#activity = activity;
    this.#now = now;
    this.#startedAt = now();
    this.#current = { activity, startedAt: this.#startedAt };
  }

  update(
    { filesDone, filesTotal, bytesDone, bytesTotal, index }: SyncProgress,
    activity = this.#activity,
  ): void {
    if (activity !== this.#current.activity) this.#current = { activity, startedAt: this.#now() };
    if (bytesTotal === 0 && filesDone === filesTotal) return; // nothing is left to read
    const share = bytesTotal > 0 ? bytesDone / bytesTotal : filesDone / Math.max(1, filesTotal);
    const files = index ? `${index.indexed}/${index.files}` : `${filesDone}/${filesTotal}`;
    this.#draw(activity, share, `${files} files, ${formatBytes(bytesTotal)}`);
  }

  /** Shows how many sessions are done. */
  updateSessions(done: number, total: number): void {
    this.#draw(this.#activity, done / Math.max(1, total), `${done}/${total} sessions`);
  }

  #draw(activity: string, part: number, detail: string): void {
    if (!this.#io.showsProgress || this.#now() - this.#startedAt < BAR_DELAY_MS) return;
    const share = Math.min(1, part);
    const width = this.#io.columns < 70 ? 10 : WIDTH;
    const full = Math.round(share * width);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const line = `${activity} ${bar} ${percent}  ${detail}${this.#estimate(share)}`;
    // A wrapped line couldn't be erased.
    this.#io.err(`\r\x1b[K${truncate(line, this.#io.columns - 1)}`);
    this.#drawn = true;
  }

  /** The remaining time if the work goes on at its pace: `, 1m20s left`. */
  #estimate(share: number): string {
    const elapsedMs = this.#now() - this.#current.startedAt;
    if (elapsedMs < ESTIMATE_DELAY_MS || share < MIN_SHARE_FOR_ESTIMATE || share >= 1) return "";
    const leftMs = (elapsedMs / share) * (1 - share);
    return `, ${formatDuration(Math.max(1000, leftMs))} left`;
  }

  /** Shows the progress of a scan. */
  updateScan({ files, filesDone, bytes, bytesDone }: Omit<ScanProgress, "hits">): void {
    this.update({ filesTotal: files, filesDone, bytesTotal: bytes, bytesDone });
  }

  /** Erases the bar. */
  clear(): void {
    if (this.#drawn) this.#io.err("\r\x1b[K");
    this.#drawn = false;
  }

  /** What a scan of session files finds, with the bar erased before each; `outcome` gets the number and the report. */
  async *count<Finding, Report>(
    scanning: AsyncGenerator<Finding, Report>,
    outcome: ScanOutcome<Report>,
  ): AsyncGenerator<Finding> {
    for (;;) {
      const next = await scanning.next();
      this.clear();
      if (next.done) {
        outcome.report = next.value;
        return;
      }
      outcome.count++;
      yield next.value;
    }
  }
}
