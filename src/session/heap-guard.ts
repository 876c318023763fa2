import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PidexError } from "../errors.ts";
import { memoize } from "../memoize.ts";

/** The share of the free heap that may fill before the next check. */
const CHECK_SHARE = 1 / 4;

/** Node's heap limit includes the space for young objects, which old ones cannot use: three times 64 MB. */
const YOUNG_BYTES = 192 << 20;

/**
 * Prevents out-of-memory crashes in callers that read a whole session into memory: checks the heap at intervals and throws
 * an error while that is still possible. V8 itself would abort the process.
 */
export class HeapGuard {
  readonly #totalBytes: number;
  #untilCheck = 0;

  /** @param totalBytes the size of all entries to read, which decides when to collect garbage, and for the error message */
  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
  }

  /**
   * Call this before parsing and keeping `bytes` of JSON.
   *
   * @throws PidexError `SESSION_TOO_LARGE` if they do not fit
   */
  reserve(bytes: number): void {
    this.#untilCheck -= bytes;
    if (this.#untilCheck > 0) return;
    const needed = 2 * bytes; // the text and the parsed objects
    let left = freeBytes() - needed;
    if (left < this.#totalBytes) garbageCollector(); // created while there is memory for it
    if (left < 0) {
      garbageCollector()();
      left = freeBytes() - needed;
    }
    if (left < 0) throw this.#tooLarge();
    this.#untilCheck = left * CHECK_SHARE;
  }

  #tooLarge(): PidexError {
    const limit = getHeapStatistics().heap_size_limit;
    const [size, max] = [this.#totalBytes, limit].map((each) => `${(each / 1e9).toFixed(1)} GB`);
    const megabytes = Math.ceil((3 * this.#totalBytes) / 1e9) * 1_000;
    return new PidexError(
      "SESSION_TOO_LARGE",
      `the entries to read take ${size}, which does not fit Node's memory limit of ${max}`,
      `Give Node more memory: NODE_OPTIONS=--max-old-space-size=${megabytes}`,
    );
  }
}

/** Free bytes for old objects, minus a reserve of a tenth. */
function freeBytes(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return 0.9 * Math.max(limit - YOUNG_BYTES, limit / 4) - used;
}

/** The used heap includes garbage. Node has no function to collect it, so this gets V8's. */
const garbageCollector = memoize(() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
});
