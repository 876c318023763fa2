import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PidexError } from "../errors.ts";
import { once } from "../once.ts";

/** Of the room that is left, how much may be filled before it is looked at again. */
const ROOM_A_LOOK = 1 / 4;

/** Node counts room for young objects into what it may use, which old ones cannot have: three times 64 MB. */
const YOUNG_BYTES = 192 << 20;

/**
 * Prevents out-of-memory crashes in callers that read a whole session into memory: checks the heap now and then, and throws
 * an error while there is room for one. V8 itself would end the process.
 */
export class HeapGuard {
  readonly #fileBytes: number;
  #untilLook = 0;

  /** @param fileBytes the size of the session file, for the error */
  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
  }

  /**
   * To be called before some bytes of JSON are parsed and kept.
   *
   * @throws PidexError `SESSION_TOO_LARGE` when there is no room for them
   */
  expect(bytes: number): void {
    this.#untilLook -= bytes;
    if (this.#untilLook > 0) return;
    const needed = 2 * bytes; // as text, and as what is parsed of it
    let left = room() - needed;
    if (left < this.#fileBytes) garbageCollector(); // made while there is room to make it
    if (left < 0) {
      garbageCollector()();
      left = room() - needed;
    }
    if (left < 0) throw this.#tooLarge();
    this.#untilLook = left * ROOM_A_LOOK;
  }

  #tooLarge(): PidexError {
    const limit = getHeapStatistics().heap_size_limit;
    const [size, most] = [this.#fileBytes, limit].map((each) => `${(each / 1e9).toFixed(1)} GB`);
    const megabytes = Math.ceil((3 * this.#fileBytes) / 1e9) * 1_000;
    return new PidexError(
      "SESSION_TOO_LARGE",
      `the session file has ${size}, which do not fit in the memory that Node may use (${most})`,
      `Give Node more memory: NODE_OPTIONS=--max-old-space-size=${megabytes}`,
    );
  }
}

/** Bytes that are left for old objects, less a tenth to work with. */
function room(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return 0.9 * Math.max(limit - YOUNG_BYTES, limit / 4) - used;
}

/** What is in use counts what nobody needs any more; V8 is asked to take that back, for which Node has no function. */
const garbageCollector = once(() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
});
