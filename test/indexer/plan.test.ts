import type { BigIntStats } from "node:fs";
import { describe, expect, test } from "vitest";
import { blocksToCompare, isRacy, type PlannedRow, plan } from "../../indexer/plan.ts";
import { EXTRACTION } from "../../src/store/extraction.ts";

const OLD = 1_700_000_000_123_456_789n;

const looked = (fields: Partial<Record<"dev" | "ino" | "size" | "mtimeNs" | "ctimeNs", bigint>> = {}) =>
  ({ dev: 1n, ino: 2n, size: 100n, mtimeNs: OLD, ctimeNs: OLD, ...fields }) as BigIntStats;

const known = (fields: Partial<PlannedRow> = {}): PlannedRow => ({
  inode: "1:2",
  size: 100,
  mtime_ns: String(OLD),
  ctime_ns: String(OLD),
  racy: 0,
  cursor: 100,
  extraction: EXTRACTION,
  ...fields,
});

test.each([
  ["an unchanged file", looked(), known(), "skip"],
  ["a new file", looked(), undefined, "reindex"],
  ["a file that grew", looked({ size: 101n, mtimeNs: OLD + 1n, ctimeNs: OLD + 1n }), known(), "append"],
  ["a file that grew within the clock's tick", looked({ size: 101n }), known(), "append"],
  ["a file that grew and has its old mtime", looked({ size: 101n, ctimeNs: OLD + 1n }), known(), "append"],
  ["a file that shrank", looked({ size: 99n }), known(), "reindex"],
  ["a file that shrank by its torn last line", looked({ size: 92n }), known({ cursor: 90 }), "append"],
  ["a file that was emptied", looked({ size: 0n }), known(), "reindex"],
  ["a file with another mtime", looked({ mtimeNs: OLD + 1n }), known(), "append"],
  ["a file of an older mtime", looked({ mtimeNs: OLD - 1n }), known(), "append"],
  ["a file with another ctime", looked({ ctimeNs: OLD + 1n }), known(), "append"],
  ["another file with that name", looked({ ino: 3n }), known(), "append"],
  ["another, larger file with that name", looked({ ino: 3n, size: 101n }), known(), "append"],
  ["the same inode on another device", looked({ dev: 2n }), known(), "append"],
  ["a file modified shortly before the last scan", looked(), known({ racy: 1 }), "append"],
  [
    "a recently modified file with another mtime",
    looked({ mtimeNs: OLD + 1n }),
    known({ racy: 1 }),
    "append",
  ],
  ["a half read file", looked(), known({ size: 40, cursor: 40 }), "append"],
  ["a file with a torn last line", looked(), known({ cursor: 90 }), "skip"],
  ["rows of another extraction", looked(), known({ extraction: EXTRACTION - 1 }), "reindex"],
  [
    "rows of another extraction, of a file that grew",
    looked({ size: 101n }),
    known({ extraction: 0 }),
    "reindex",
  ],
])("%s", (_, stat, row, expected) => {
  expect(plan(stat, row)).toBe(expected);
});

test.each([
  ["a file that grew", looked({ size: 101n, mtimeNs: OLD + 1n, ctimeNs: OLD + 1n }), known(), "some"],
  ["a file that grew, with older times", looked({ size: 101n }), known(), "some"],
  ["a file modified shortly before the last scan", looked(), known({ racy: 1 }), "some"],
  ["a file with another mtime", looked({ mtimeNs: OLD + 1n, ctimeNs: OLD + 1n }), known(), "all"],
  ["a file with only another ctime", looked({ ctimeNs: OLD + 1n }), known(), "all"],
  ["a file that lost its torn last line", looked({ size: 92n }), known({ cursor: 90 }), "all"],
  ["another file with that name", looked({ ino: 3n }), known(), "all"],
  ["another, larger file with that name", looked({ ino: 3n, size: 101n }), known(), "all"],
  ["the same file with another device number", looked({ dev: 2n }), known(), "none"],
  ["a recently modified file with another device number", looked({ dev: 2n }), known({ racy: 1 }), "all"],
  ["the same inode on another device, grown", looked({ dev: 2n, size: 101n }), known(), "all"],
])("before reading continues: %s", (_, stat, row, expected) => {
  expect(blocksToCompare(stat, row)).toBe(expected);
});

test("another device number needs a comparison if times are whole seconds", () => {
  const seconds = 1_700_000_000_000_000_000n;
  const row = known({ mtime_ns: String(seconds), ctime_ns: String(seconds) });
  expect(blocksToCompare(looked({ dev: 2n, mtimeNs: seconds, ctimeNs: seconds }), row)).toBe("all");
});

test("a file partly read by the same sync is not compared again", () => {
  const half = known({ size: 40, cursor: 40 });
  expect(blocksToCompare(looked(), half, true)).toBe("none");
  expect(blocksToCompare(looked(), half)).toBe("some");
});

describe("a file changed too recently to trust its times", () => {
  const now = 1_700_000_000_000;
  const ms = (n: number) => BigInt(now + n) * 1_000_000n;

  test.each([
    ["changed just now", ms(0) + 1n, true],
    ["changed some ticks ago", ms(-39) + 1n, true],
    ["changed long enough ago", ms(-41) + 1n, false],
    ["changed this second, with times in whole seconds", ms(0), true],
    ["changed two seconds ago, with times in whole seconds", ms(-1_000), true],
    ["changed three seconds ago, with times in whole seconds", ms(-3_000), false],
    ["with a future time", ms(60_000) + 1n, true],
    ["of years ago", 1n, false],
  ])("%s: %s: %s", (_, time, racy) => {
    expect(isRacy(looked({ mtimeNs: time, ctimeNs: time }), now)).toBe(racy);
  });

  test("if it was just changed and its mtime set back", () => {
    expect(isRacy(looked({ mtimeNs: 1n, ctimeNs: ms(0) + 1n }), now)).toBe(true);
  });
});
