/** How long is waited for more once something was told, in milliseconds: a change comes seldom alone. */
const GATHER_MS = 30;
/** More files than this are a storm: a look at all of them costs less than a question for each. */
const STORM_FILES = 200;
/** A storm is over when nothing was told for so long, and is not waited for longer than that. */
const QUIET_MS = 100;
const LONGEST_STORM_MS = 1_000;

/** What to sync now. */
export interface Task {
  /** These files alone; all there are, where it is missing. */
  paths?: readonly string[];
  /** Whether somebody told of a change, not only the clock that it is time again. */
  told: boolean;
}

/**
 * What is to be synced, and when. It has no clock of its own: `now` is of one that only goes forward, in milliseconds,
 * so that a machine that sleeps and a date that is put back are all the same to it.
 */
export class Agenda {
  /** How long after everything was synced it is synced again, whatever was told. */
  intervalMs: number;
  #paths = new Set<string>();
  #all = false;
  #firstAt = Number.POSITIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  #allAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** One on which everything is due at once. */
  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** A file changed. */
  addFile(path: string, now: number): void {
    this.#paths.add(path);
    this.#told(now);
  }

  /** Something changed that the paths of files don't tell, such as the name of a folder. */
  addAll(now: number): void {
    this.#all = true;
    this.#told(now);
  }

  /** What came to nothing is to be done again, after a pause in which nothing is due. */
  addAgain({ paths }: Task, pauseMs: number, now: number): void {
    if (!paths) this.#all = true;
    for (const path of paths ?? []) this.#paths.add(path);
    this.#firstAt = Math.min(this.#firstAt, now);
    this.#notBefore = now + pauseMs;
  }

  /** When there is something to do. */
  get dueAt(): number {
    return Math.max(this.#notBefore, Math.min(this.#gatheredAt, this.#allAt + this.intervalMs));
  }

  /** Whether anything was told that is not yet taken. */
  get isTold(): boolean {
    return this.#firstAt !== Number.POSITIVE_INFINITY;
  }

  /** Takes what is due: everything where that is due, too. */
  take(now: number): Task | undefined {
    if (now < this.dueAt) return undefined;
    const all = this.#isStorm || now >= this.#allAt + this.intervalMs;
    const task = { ...(!all && { paths: [...this.#paths] }), told: this.isTold };
    this.#paths.clear();
    this.#all = false;
    this.#firstAt = Number.POSITIVE_INFINITY;
    if (all) this.#allAt = now;
    return task;
  }

  /** Everything was synced just now, which may have taken long. */
  allDone(now: number): void {
    this.#allAt = now;
  }

  #told(now: number): void {
    this.#firstAt = Math.min(this.#firstAt, now);
    this.#lastAt = now;
  }

  get #isStorm(): boolean {
    return this.#all || this.#paths.size > STORM_FILES;
  }

  /** When what was told is no longer gathered: a stream without end is not waited for. */
  get #gatheredAt(): number {
    if (!this.#isStorm) return this.#firstAt + GATHER_MS;
    const quiet = Math.max(this.#lastAt + QUIET_MS, this.#firstAt + GATHER_MS);
    return Math.min(quiet, this.#firstAt + LONGEST_STORM_MS);
  }
}
