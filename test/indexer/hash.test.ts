import { expect, test } from "vitest";
import { hash32, hash48 } from "../../indexer/hash.ts";

/** Typical ids, which differ only in some characters. */
const ids = Array.from({ length: 200_000 }, (_, n) => `toolu_${n.toString(16).padStart(8, "0")}`);

test("200,000 similar ids have different 48-bit hashes", () => {
  expect(new Set(ids.map(hash48)).size).toBe(ids.length);
  for (const id of ids.slice(0, 100)) {
    expect(Number.isInteger(hash48(id))).toBe(true);
    expect(hash48(id)).toBeGreaterThanOrEqual(0);
    expect(hash48(id)).toBeLessThan(2 ** 48);
  }
});

test("32-bit hashes collide no more often than by chance, and fit SQLite's and JavaScript's integers", () => {
  const hashes = ids.map(hash32);
  // Among n texts, n² / 2 / 2³² pairs collide by chance: 4.7 here.
  expect(ids.length - new Set(hashes).size).toBeLessThan(25);
  expect(hashes.every((hash) => (hash | 0) === hash)).toBe(true);
  expect(hashes.some((hash) => hash < 0)).toBe(true);
});

test("a text of another length, or with two characters swapped, has another hash", () => {
  for (const [a, b] of [
    ["", "\0"],
    ["ab", "ba"],
    ["a\0b", "ab\0"],
    ["語", "誟"],
  ] as const) {
    expect([hash32(a) === hash32(b), hash48(a) === hash48(b)]).toEqual([false, false]);
  }
});
