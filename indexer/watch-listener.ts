import type { Root } from "../src/session/locations.ts";
import { howToRaise, watchLimits, watchTrouble } from "../src/watch-limits.ts";
import { type FolderWatch, type Told, watchFolders } from "./watch-folders.ts";

/** How long after a failure it is tried again, in milliseconds: at first, doubled each time, and at most. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** How long after a root came or went it begins anew, in milliseconds: folders come one in another. */
const ROOT_SETTLES_MS = 100;

const POLL = "Run pidex watch --poll to poll from the start, more often and without this message.";

/** How often in a row it begins anew because something was not told. */
const MOST_DOUBTS = 2;

/**
 * Listens to what the system tells of changed files, and knows whether it does. Times are of a clock that only goes
 * forward, in milliseconds.
 */
export class Listener {
  /** When `attend` is to be called. */
  dueAt = Number.NEGATIVE_INFINITY;
  readonly #roots: () => readonly Root[];
  /** The roots that are watched. */
  #heard: readonly Root[] = [];
  readonly #told: Told;
  readonly #onNotice: (message: string) => void;
  #watch: FolderWatch | undefined;
  #failure: { error: unknown } | undefined;
  #failures = 0;
  #noticed = "";
  #doubts = 0;

  /**
   * @param told its `onError` needs not close anything: it is to call `attend` soon
   * @param onNotice told in a sentence that changes are not told of, or are again
   */
  constructor(roots: () => readonly Root[], told: Told, onNotice: (message: string) => void) {
    this.#roots = roots;
    this.#onNotice = onNotice;
    const heard = () => {
      this.#doubts = 0;
    };
    this.#told = {
      onFile(path) {
        heard();
        told.onFile(path);
      },
      onFolder(path) {
        heard();
        told.onFolder(path);
      },
      onRoot: (path) => {
        heard();
        this.dueAt = Math.min(this.dueAt, performance.now() + ROOT_SETTLES_MS);
        told.onRoot(path);
      },
      onError: (error) => {
        this.#failure ??= { error };
        this.dueAt = Number.NEGATIVE_INFINITY;
        told.onError(error);
      },
    };
  }

  get listens(): boolean {
    return this.#watch !== undefined;
  }

  /**
   * Begins to listen, or again, or gives up for a while: for good when it is aborted. What changed until then is not told.
   */
  async attend(now: number, signal?: AbortSignal): Promise<void> {
    await this.close();
    const failed = this.#failure; // which may have come while it was closed
    this.#failure = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
    if (failed) return this.#rest(failed.error, now);
    try {
      this.#heard = this.#roots();
      this.#watch = await watchFolders(this.#heard, this.#told, signal);
    } catch (error) {
      this.#failure = undefined;
      if (signal?.aborted) return;
      return this.#rest(error, now);
    }
    if (this.#failure) return; // it is due again
    if (this.#noticed) this.#onNotice("the system reports changes again, and pidex no longer polls");
    this.#noticed = "";
    this.#failures = 0;
  }

  /** Begins anew where there are other roots than those that are listened to. */
  followRoots(): void {
    if (!this.#watch) return;
    const prefixes = (roots: readonly Root[]) => roots.map(({ prefix }) => prefix).join("\0");
    if (prefixes(this.#heard) !== prefixes(this.#roots())) this.dueAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Something changed that was not told, though it should have been: a queue was full, a link leads elsewhere now. To
   * begin anew helps, where the system tells of changes at all.
   */
  doubt(): void {
    this.#doubts++;
    if (this.#doubts <= MOST_DOUBTS) this.dueAt = Number.NEGATIVE_INFINITY;
    else if (this.#doubts === MOST_DOUBTS + 1) {
      this.#onNotice(
        `the system does not report all changes, as on network drives, so some are found only by the full sync. ${POLL}`,
      );
    }
  }

  async close(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    await watch?.close();
  }

  #rest(error: unknown, now: number): void {
    this.dueAt = now + Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
    const { reason, limit } = watchTrouble(error);
    if (reason === this.#noticed) return;
    this.#noticed = reason;
    const todo = limit ? `Raise the limit: ${howToRaise(limit, watchLimits())}` : POLL;
    this.#onNotice(`cannot watch folders, so pidex polls every few seconds: ${reason}. ${todo}`);
  }
}
