import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ByteChain, CHAIN_BLOCK_BYTES } from "../src/byte-chain.ts";

const BYTES = randomBytes(3 * CHAIN_BLOCK_BYTES + 17);

function digestOf(...parts: Buffer[]): string {
  const chain = new ByteChain();
  for (const part of parts) chain.add(part);
  return chain.digest;
}

test("the digest depends on the bytes, not on how they are divided", () => {
  for (const size of [1000, CHAIN_BLOCK_BYTES - 1, CHAIN_BLOCK_BYTES, CHAIN_BLOCK_BYTES + 1, BYTES.length]) {
    const parts: Buffer[] = [];
    for (let at = 0; at < BYTES.length; at += size) parts.push(BYTES.subarray(at, at + size));
    expect(digestOf(...parts)).toBe(digestOf(BYTES));
  }
});

test.each([0, 1, CHAIN_BLOCK_BYTES, CHAIN_BLOCK_BYTES + 5, BYTES.length])(
  "it is continued from its link and the bytes of the last block after %i bytes",
  (cut) => {
    const first = new ByteChain();
    first.add(BYTES.subarray(0, cut));
    const tail = BYTES.subarray(cut - (cut % CHAIN_BLOCK_BYTES), cut);
    const continued = new ByteChain(first.link, tail);
    expect(continued.digest).toBe(first.digest);
    continued.add(BYTES.subarray(cut));
    expect(continued.digest).toBe(digestOf(BYTES));
  },
);

test("a changed, missing or added byte changes it", () => {
  const changed = Buffer.from(BYTES);
  changed.writeUInt8(changed.readUInt8(70_000) ^ 1, 70_000);
  const all = [BYTES, changed, BYTES.subarray(1), BYTES.subarray(0, -1), Buffer.alloc(0)];
  expect(new Set(all.map((bytes) => digestOf(bytes))).size).toBe(all.length);
});
