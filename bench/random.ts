const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Seeded random numbers (sfc32): the same seed and stream give the same numbers on every machine. */
export class Random {
  readonly #state: Int32Array;

  /** A `stream` is an independent sequence of the same seed: with one per session, a change to one does not affect others. */
  constructor(seed: number, stream = 0) {
    this.#state = Int32Array.of(seed, stream, 0x9e3779b9, 1);
    for (let round = 0; round < 16; round++) this.uint32();
  }

  uint32(): number {
    // The constructor sets four words.
    const state = this.#state as unknown as [number, number, number, number];
    const [a, b, c, counter] = state;
    const sum = (a + b + counter) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    state[3] = (counter + 1) | 0;
    return sum >>> 0;
  }

  /** At least 0, less than 1. */
  float(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.float() * limit);
  }

  /** A whole number from `low` to `high`, inclusive. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** A key of `weights`, with a probability proportional to its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const keys = Object.keys(weights) as Key[];
    let left = this.float() * keys.reduce((sum, key) => sum + weights[key], 0);
    for (const key of keys) {
      left -= weights[key];
      if (left < 0) return key;
    }
    return keys[0] as Key;
  }

  /** An index below `size`, where index n comes up about 1/(n+1) as often as index 0 (Zipf's law). */
  zipf(size: number): number {
    return Math.floor((size + 1) ** this.float()) - 1;
  }

  /** A log-normal number: most are near `median`, a few far above. */
  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.float())) * Math.cos(2 * Math.PI * this.float());
    return median * Math.exp(sigma * normal);
  }

  hex(digits: number): string {
    let text = "";
    while (text.length < digits) text += this.uint32().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  }

  base62(length: number): string {
    let text = "";
    for (let i = 0; i < length; i++) text += BASE62[this.below(62)];
    return text;
  }

  /** About `length` characters of base64, as in images and signatures. */
  base64(length: number): string {
    const words = new Uint32Array(Math.max(3, Math.ceil((length * 3) / 16)));
    for (let i = 0; i < words.length; i++) words[i] = this.uint32();
    return Buffer.from(words.buffer).toString("base64");
  }

  /** A UUIDv7: its first 48 bits are `time` in milliseconds. */
  uuid(time: number): string {
    const clock = time.toString(16).padStart(12, "0");
    const variant = "89ab"[this.below(4)];
    return `${clock.slice(0, 8)}-${clock.slice(8)}-7${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }
}
