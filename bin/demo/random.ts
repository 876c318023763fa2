export type Random = ReturnType<typeof createRandom>;

/** A seeded random generator with the same output on every machine. Mulberry32: 32 bits of state suffice for a few hundred sessions. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const uint32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  /** At least 0, below 1. */
  const float = () => uint32() / 2 ** 32;
  /** An integer from `low` to `high`, inclusive. */
  const between = (low: number, high: number) => low + Math.floor(float() * (high - low + 1));
  return {
    float,
    between,
    pick: <T>(of: readonly [T, ...T[]]): T => of[between(0, of.length - 1)] ?? of[0],
    hex(digits: number): string {
      let text = "";
      while (text.length < digits) text += uint32().toString(16).padStart(8, "0");
      return text.slice(0, digits);
    },
    bytes: (count: number) => Uint8Array.from({ length: count }, () => uint32() & 0xff),
  };
}
