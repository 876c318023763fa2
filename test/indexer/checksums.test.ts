import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import {
  BLOCK_BYTES,
  BLOCKS_PER_CHECK,
  type CheckState,
  Checksums,
  compareBlocks,
  NOTHING_UNCHECKED,
  toPendingCheck,
} from "../../indexer/checksums.ts";
import { temporaryFolder } from "../temporary.ts";

const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** Bytes of a number of blocks, each with a different letter. */
const content = (blocks: number) =>
  Buffer.concat(Array.from({ length: blocks }, (_, n) => Buffer.alloc(BLOCK_BYTES, 97 + n)));

function sumsOf(bytes: Uint8Array): string {
  const sums = new Checksums();
  sums.add(bytes);
  sums.commit();
  return sums.toText();
}

/** A file, and a function that compares other bytes with its checksums. */
function fileOf(bytes: Buffer) {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, bytes);
  const fd = openSync(path, "r+");
  onTestFinished(() => closeSync(fd));
  const prefix = { cursor: bytes.length, checksums: sumsOf(bytes) };
  const rewrite = (changed: Buffer) => writeFileSync(path, changed);
  return { fd, prefix, rewrite };
}

test("checksums don't depend on how the bytes are split, or where they were stored in between", () => {
  const bytes = content(3).subarray(0, 2.5 * BLOCK_BYTES);
  const whole = sumsOf(bytes);
  expect(Buffer.from(whole, "base64").readUInt32LE(4)).toBe(
    crc32(bytes.subarray(BLOCK_BYTES, 2 * BLOCK_BYTES)),
  );
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 6 }), fc.boolean(), (cuts, keep) => {
      let sums = new Checksums();
      let at = 0;
      for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
        sums.add(bytes.subarray(at, cut));
        at = cut;
        sums.commit();
        if (keep) sums = new Checksums(sums.toText(), at);
      }
      expect(sums.toText()).toBe(whole);
    }),
  );
});

test("bytes after the last commit are ignored", () => {
  const sums = new Checksums();
  sums.add(content(1).subarray(0, 10));
  sums.commit();
  const before = sums.toText();
  sums.add(content(2));
  expect(sums.toText()).toBe(before);
});

test("all blocks of a small file are compared", () => {
  const { fd, prefix, rewrite } = fileOf(content(BLOCKS_PER_CHECK));
  const count = { bytes: 0 };
  const options = { which: "some", isChanged: true, now: NOW, count } as const;
  expect(compareBlocks(fd, { ...prefix, ...NOTHING_UNCHECKED }, options)).toEqual(NOTHING_UNCHECKED);
  expect(count.bytes).toBe(prefix.cursor);
  const changed = content(BLOCKS_PER_CHECK);
  changed[5 * BLOCK_BYTES + 7] = 0;
  rewrite(changed);
  expect(compareBlocks(fd, { ...prefix, ...NOTHING_UNCHECKED }, options)).toBeUndefined();
});

test("each comparison of a large file reads some blocks, and all are compared in turn", () => {
  const blocks = 20;
  const { fd, prefix, rewrite } = fileOf(content(blocks));
  const check = (state: CheckState, now: number, isChanged = false, count = { bytes: 0 }) =>
    compareBlocks(fd, { ...prefix, ...state }, { which: "some", isChanged, now, count });

  for (const edited of [0, 1, 9, 13, 19]) {
    rewrite(content(blocks));
    let state = check(NOTHING_UNCHECKED, NOW, true);
    expect(state).toMatchObject({ unchecked_since: NOW });
    const changed = content(blocks);
    changed[edited * BLOCK_BYTES + 1] = 0;
    rewrite(changed);
    let rounds = 0;
    // The file grew again, so all blocks are due once more, starting where the last comparison ended.
    for (let isChanged = true; state && state.unchecked_since !== null; isChanged = false) {
      const count = { bytes: 0 };
      state = check(state, NOW + 1, isChanged, count);
      expect(count.bytes).toBeLessThanOrEqual(BLOCKS_PER_CHECK * BLOCK_BYTES);
      rounds++;
    }
    expect(state).toBeUndefined();
    expect(rounds).toBeLessThanOrEqual(4);
  }
});

test("all blocks are compared if some have waited for a day", () => {
  const { fd, prefix } = fileOf(content(20));
  const waiting = { check_from: 3, unchecked: 20, unchecked_since: NOW - DAY_MS };
  const count = { bytes: 0 };
  const options = { which: "some", isChanged: true, now: NOW, count } as const;
  expect(compareBlocks(fd, { ...prefix, ...waiting }, options)).toEqual(NOTHING_UNCHECKED);
  expect(count.bytes).toBe(prefix.cursor);
});

test("a file that is shorter than its cursor differs, and so does one without checksums", () => {
  const { fd, prefix, rewrite } = fileOf(content(2));
  const options = { which: "all", isChanged: true, now: NOW, count: { bytes: 0 } } as const;
  expect(compareBlocks(fd, { ...prefix, ...NOTHING_UNCHECKED, checksums: "" }, options)).toBeUndefined();
  rewrite(content(2).subarray(0, BLOCK_BYTES + 5));
  expect(compareBlocks(fd, { ...prefix, ...NOTHING_UNCHECKED }, options)).toBeUndefined();
});

test("a file that was modified while it was read is compared completely at the next sync", () => {
  const read = { cursor: 20 * BLOCK_BYTES, isChanging: true, isYoung: true, now: NOW };
  const { racy, ...state } = toPendingCheck(NOTHING_UNCHECKED, read);
  expect(racy).toBe(1);
  const { fd, prefix } = fileOf(content(20));
  const count = { bytes: 0 };
  compareBlocks(fd, { ...prefix, ...state }, { which: "some", isChanged: false, now: NOW, count });
  expect(count.bytes).toBe(prefix.cursor);
});
