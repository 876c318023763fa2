import { createHash } from "node:crypto";

/** Bytes that one link of a chain covers. */
export const CHAIN_BLOCK_BYTES = 1 << 16;

/** The chain of no bytes. */
export const EMPTY_CHAIN: Buffer = Buffer.alloc(32);

/**
 * A hash of a sequence of bytes that can be continued from a stored state: 32 bytes, and the bytes after the last whole block.
 * It depends on the bytes alone, not on how they were divided when they were added, so that a machine and a hub can compare how
 * far they have the same file.
 */
export class ByteChain {
  #link: Buffer;
  #tail: Buffer[] = [];
  #tailBytes = 0;

  /**
   * @param link of the whole blocks so far
   * @param tail the bytes after them, fewer than a block
   */
  constructor(link: Buffer = EMPTY_CHAIN, tail: Buffer = Buffer.alloc(0)) {
    this.#link = link;
    this.#push(tail);
  }

  add(bytes: Buffer): void {
    let rest = bytes;
    while (this.#tailBytes + rest.length >= CHAIN_BLOCK_BYTES) {
      const missing = CHAIN_BLOCK_BYTES - this.#tailBytes;
      this.#link = hashLink(this.#link, [...this.#tail, rest.subarray(0, missing)]);
      this.#tail = [];
      this.#tailBytes = 0;
      rest = rest.subarray(missing);
    }
    this.#push(rest);
  }

  /** To continue from: store it with the number of bytes. */
  get link(): Buffer {
    return this.#link;
  }

  /** Identifies all bytes so far, in hexadecimal. */
  get digest(): string {
    return hashLink(this.#link, this.#tail).toString("hex");
  }

  #push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
  }
}

function hashLink(link: Buffer, bytes: readonly Buffer[]): Buffer {
  const hash = createHash("sha256").update(link);
  for (const part of bytes) hash.update(part);
  return hash.digest();
}
