import { crc32 } from "node:zlib";
import type { ByteSink } from "../src/session/lines.ts";
import { readBytes, type SessionBytes } from "../src/session/session-bytes.ts";

/** Bytes of a session file per checksum: few enough to compare a block in half a millisecond. */
export const BLOCK_BYTES = 1 << 20;

/** Bytes per read when comparing: they fit in the processor's cache. */
const READ_BYTES = 256 << 10;

interface Sums {
  /** Number of complete blocks. */
  whole: number;
  /** The checksum of the incomplete block, and its size in bytes. */
  last: number;
  filled: number;
}

/**
 * CRC-32 of every block before the cursor, computed from the parsed bytes. An append continues the checksum of the last,
 * incomplete block, so no byte is read twice.
 */
export class Checksums implements ByteSink {
  readonly #blocks: number[];
  #added: Sums;
  #committed: Sums;

  /** @param text stored checksums, for the bytes before `cursor` */
  constructor(text = "", cursor = 0) {
    const blocks = fromText(text);
    const filled = cursor % BLOCK_BYTES;
    const last = filled > 0 ? (blocks.pop() ?? 0) : 0;
    this.#blocks = blocks;
    this.#added = { whole: blocks.length, last, filled };
    this.#committed = { ...this.#added };
  }

  add(bytes: Uint8Array): void {
    const sums = this.#added;
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + BLOCK_BYTES - sums.filled);
      sums.last = crc32(bytes.subarray(at, end), sums.last);
      sums.filled += end - at;
      at = end;
      if (sums.filled < BLOCK_BYTES) continue;
      this.#blocks[sums.whole++] = sums.last;
      sums.last = 0;
      sums.filled = 0;
    }
  }

  commit(): void {
    const { whole, last, filled } = this.#added;
    const committed = this.#committed;
    committed.whole = whole;
    committed.last = last;
    committed.filled = filled;
  }

  /** The checksums of all bytes up to the last commit, in base64. */
  toText(): string {
    const { whole, last, filled } = this.#committed;
    return toText([...this.#blocks.slice(0, whole), ...(filled > 0 ? [last] : [])]);
  }
}

/** Which blocks have been compared since the file last changed. */
export interface CheckState {
  /** Index of the block at which the next comparison starts. */
  check_from: number;
  /** Number of blocks left to compare. */
  unchecked: number;
  /** When the first of them started to wait, in Unix milliseconds; null if there are none. */
  unchecked_since: number | null;
}

/** The state with no blocks left to compare. */
export const NOTHING_UNCHECKED: Readonly<CheckState> = { check_from: 0, unchecked: 0, unchecked_since: null };

/** Blocks of a grown file that one sync compares: all of most sessions, and a few milliseconds' worth of large ones. */
export const BLOCKS_PER_CHECK = 8;

/** If blocks have waited for this long, the next sync compares them all. */
const MAX_UNCHECKED_MS = 86_400_000;

interface Prefix extends CheckState {
  cursor: number;
  checksums: string;
}

/**
 * Compares blocks before the cursor with the file.
 *
 * `some` compares the first block, the last one, and the next of the others in turn, because an append cannot be distinguished
 * from an edit followed by an append. It compares all blocks if there are few, or if some have waited for a day.
 *
 * @param isChanged whether the file may have changed since the last comparison
 * @returns what is left to compare; undefined if a block differs
 */
export function compareBlocks(
  fd: SessionBytes,
  { cursor, checksums, ...state }: Prefix,
  options: { which: "all" | "some"; isChanged: boolean; now: number; count: { bytes: number } },
): CheckState | undefined {
  const { which, isChanged, now, count } = options;
  const blocks = fromText(checksums);
  const total = Math.ceil(cursor / BLOCK_BYTES);
  if (blocks.length !== total) return undefined;
  const isSame = (n: number) => blockAt(fd, n, Math.min(cursor, (n + 1) * BLOCK_BYTES), count) === blocks[n];
  const isOverdue = state.unchecked_since !== null && now - state.unchecked_since >= MAX_UNCHECKED_MS;
  if (which === "all" || isOverdue || total <= BLOCKS_PER_CHECK) {
    for (let n = 0; n < total; n++) if (!isSame(n)) return undefined;
    return NOTHING_UNCHECKED;
  }
  const chosen = new Set([0, total - 1]);
  let next = state.check_from % total;
  let unchecked = isChanged || state.unchecked === 0 ? total : state.unchecked;
  while (chosen.size < BLOCKS_PER_CHECK && unchecked > 0) {
    chosen.add(next);
    next = (next + 1) % total;
    unchecked--;
  }
  for (const n of chosen) if (!isSame(n)) return undefined;
  if (unchecked === 0) return NOTHING_UNCHECKED;
  return { check_from: next, unchecked, unchecked_since: state.unchecked_since ?? now };
}

/** What the next sync of a file compares, and whether it does so even if the file seems unchanged (`racy`). */
export type PendingCheck = CheckState & { racy: 0 | 1 };

/**
 * What is left to compare after a file was read up to a cursor.
 *
 * @param isChanging whether it was modified during the read, so that rows may mix two versions of the file
 * @param isYoung whether it was modified so recently that another change may not alter its times
 */
export function toPendingCheck(
  state: CheckState,
  {
    cursor,
    isChanging,
    isYoung,
    now,
  }: { cursor: number; isChanging: boolean; isYoung: boolean; now: number },
): PendingCheck {
  const all = Math.ceil(cursor / BLOCK_BYTES);
  if (isChanging) return { check_from: 0, unchecked: all, unchecked_since: 0, racy: 1 };
  if (isYoung) {
    return { ...state, unchecked: all, unchecked_since: state.unchecked_since ?? now, racy: 1 };
  }
  return { ...state, racy: state.unchecked > 0 ? 1 : 0 };
}

const scratch = Buffer.allocUnsafe(READ_BYTES);

/** The checksum of the bytes from `n * BLOCK_BYTES` to `end`, or to the end of the file. */
function blockAt(fd: SessionBytes, n: number, end: number, count: { bytes: number }): number {
  let sum = 0;
  for (let at = n * BLOCK_BYTES; at < end; ) {
    const read = readBytes(fd, scratch, 0, Math.min(READ_BYTES, end - at), at);
    if (read === 0) break;
    sum = crc32(scratch.subarray(0, read), sum);
    count.bytes += read;
    at += read;
  }
  return sum;
}

function toText(blocks: readonly number[]): string {
  const bytes = Buffer.alloc(4 * blocks.length);
  for (const [n, block] of blocks.entries()) bytes.writeUInt32LE(block, 4 * n);
  return bytes.toString("base64");
}

function fromText(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: bytes.length >> 2 }, (_, n) => bytes.readUInt32LE(4 * n));
}
