import type { Root } from "../src/session/locations.ts";
import { howToRaise, watchLimits, watchTrouble } from "../src/watch-limits.ts";
import { type FolderWatch, type Told, watchFolders } from "./watch-folders.ts";

/** How long after a failure it is tried again, in milliseconds: at first, doubled each time, and at most. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** How long after a root came or went it begins anew, in milliseconds: folders come one in another. */
const ROOT_SETTLES_MS = 100;

/** How often in a row it begins anew because something was not told. */
const MOST_DOUBTS = 2;

/**
 * Listens to what the system tells of changed files, and knows whether it does. Times are of a clock that only goes
 * forward, in milliseconds.
 */
export class Listener {
  /** When `attend` is to be called. */
  dueAt = Number.NEGATIVE_INFINITY;
  readonly #roots: readonly Root[];
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
  constructor(roots: readonly Root[], told: Told, onNotice: (message: string) => void) {
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
      this.#watch = await watchFolders(this.#roots, this.#told, signal);
    } catch (error) {
      this.#failure = undefined;
      if (signal?.aborted) return;
      return this.#rest(error, now);
    }
    if (this.#failure) return; // it is due again
    if (this.#noticed) this.#onNotice("changes are told of again");
    this.#noticed = "";
    this.#failures = 0;
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
        "files change of which the system does not tell, as on network drives: polling finds them",
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
    const todo = limit ? `. Raise the limit: ${howToRaise(limit, watchLimits())}` : "";
    this.#onNotice(`changes are not told of, so all files are looked at every few seconds: ${reason}${todo}`);
  }
}
