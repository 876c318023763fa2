import { setImmediate } from "node:timers/promises";
import { ByteChain, CHAIN_BLOCK_BYTES } from "../../../src/byte-chain.ts";
import { NEWLINE, readAt } from "../../../src/session/lines.ts";
import type { SessionBytes } from "../../../src/session/session-bytes.ts";
import { MAX_APPEND_BYTES, MAX_HUB_LINE_BYTES } from "../protocol.ts";
import type { SentPosition } from "./push-state.ts";

/** Changes a line, without its newline, before it is sent. */
export type MaskLine = (line: Buffer) => Buffer;

/** Bytes to send, and the position after them. */
export interface OutgoingBytes {
  bytes: Buffer;
  after: SentPosition;
}

/** Thrown when a file was truncated or rewritten while it was read. */
export class FileChangedMeanwhile extends Error {}

/** Bytes per read. */
const READ_BYTES = 1 << 20;

/** How long a file is read and masked before the event loop continues, in milliseconds. */
const PAUSE_INTERVAL_MS = 10;

/** Where a file was sent up to, and the chains to continue. */
interface Cursor {
  raw: number;
  sent: number;
  rawChain: ByteChain;
  /** The same object as `rawChain` if nothing is masked. */
  chain: ByteChain;
  /** The start of the line that contains the end of the last whole block that was sent. */
  line: { raw: number; sent: number };
}

/**
 * The whole lines of an open session file, as they are sent to a hub: as they are, or with secrets masked. The last line is left out
 * until it has a newline.
 */
export class OutgoingFile {
  readonly #fd: SessionBytes;
  readonly #end: number;
  readonly #maskLine: MaskLine | undefined;
  #at: Cursor;
  #pausedAt = performance.now();

  /**
   * @param end where to stop: the file's size
   * @param maskLine undefined sends the bytes as they are
   */
  constructor(fd: SessionBytes, end: number, maskLine?: MaskLine) {
    this.#fd = fd;
    this.#end = end;
    this.#maskLine = maskLine;
    this.#at = this.#start();
  }

  /** Whether the line at the position is longer than a hub accepts. It and those after it are not sent. */
  isBlocked = false;

  get position(): SentPosition {
    const { raw, sent, rawChain, chain, line } = this.#at;
    const { digest } = chain;
    const rawDigest = chain === rawChain ? digest : rawChain.digest;
    return { raw, rawDigest, cursor: sent, digest, link: chain.link.toString("hex"), line };
  }

  /** Moves to the beginning. */
  rewind(): void {
    this.#at = this.#start();
    this.isBlocked = false;
  }

  /** Moves to a stored position. @returns false, at the beginning, if the bytes before it are not the same any more */
  async resume(position: SentPosition): Promise<boolean> {
    this.rewind();
    const at = this.#at;
    if (position.raw > this.#end) return false;
    await this.#readInto(at.rawChain, position.raw);
    if (at.rawChain.digest !== position.rawDigest) {
      this.rewind();
      return false;
    }
    at.raw = position.raw;
    at.sent = position.cursor;
    at.line = position.line;
    if (!this.#maskLine) return true;
    const block = position.cursor - (position.cursor % CHAIN_BLOCK_BYTES);
    const sent: Buffer[] = [];
    for await (const line of this.#lines(position.line.raw, position.raw)) sent.push(line.sent);
    const tail = Buffer.concat(sent).subarray(block - position.line.sent);
    at.chain = new ByteChain(Buffer.from(position.link, "hex"), tail);
    if (at.chain.digest === position.digest) return true;
    this.rewind(); // masked by other rules
    return false;
  }

  /** Moves to what the hub has. @returns false, at the beginning, if that is not the beginning of this file */
  async seek({ cursor, digest }: { cursor: number; digest: string }): Promise<boolean> {
    this.rewind();
    while (this.#at.sent < cursor) {
      const next = await this.next(cursor - this.#at.sent);
      if (!next) break;
    }
    if (this.#at.sent === cursor && this.#at.chain.digest === digest) return true;
    this.rewind();
    return false;
  }

  /**
   * The next whole lines, and moves after them. Undefined at the end.
   *
   * @param maxBytes a longer line is returned alone
   */
  async next(maxBytes = MAX_APPEND_BYTES): Promise<OutgoingBytes | undefined> {
    const parts: Buffer[] = [];
    let length = 0;
    const start = this.#at.raw;
    const end = findLinesEnd(this.#fd, start, this.#end, Math.min(maxBytes, MAX_APPEND_BYTES));
    if (end === undefined) {
      this.isBlocked = this.#end - start > MAX_HUB_LINE_BYTES;
      return undefined;
    }
    for await (const line of this.#lines(start, end)) {
      if (length > 0 && length + line.sent.length > maxBytes) break;
      parts.push(line.sent);
      length += line.sent.length;
      this.#add(line);
    }
    return { bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), after: this.position };
  }

  #start(): Cursor {
    const rawChain = new ByteChain();
    const chain = this.#maskLine ? new ByteChain() : rawChain;
    return { raw: 0, sent: 0, rawChain, chain, line: { raw: 0, sent: 0 } };
  }

  #add({ raw, sent }: { raw: Buffer; sent: Buffer }): void {
    const at = this.#at;
    const start = { raw: at.raw, sent: at.sent };
    at.rawChain.add(raw);
    if (at.chain !== at.rawChain) at.chain.add(sent);
    at.raw += raw.length;
    at.sent += sent.length;
    const block = at.sent - (at.sent % CHAIN_BLOCK_BYTES);
    if (block === at.sent) at.line = { raw: at.raw, sent: at.sent };
    else if (block > start.sent) at.line = start;
  }

  /** The lines between two line starts, with newlines. Without masking, several at once. */
  async *#lines(start: number, end: number): AsyncGenerator<{ raw: Buffer; sent: Buffer }> {
    if (end === start) return;
    const bytes = readAt(this.#fd, start, end - start);
    if (bytes.length < end - start || bytes.at(-1) !== NEWLINE) throw new FileChangedMeanwhile();
    if (!this.#maskLine) {
      yield { raw: bytes, sent: bytes };
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const to = bytes.indexOf(NEWLINE, from);
      const raw = bytes.subarray(from, to + 1);
      const line = bytes.subarray(from, to);
      const masked = this.#maskLine(line);
      yield { raw, sent: masked === line ? raw : Buffer.concat([masked, Buffer.of(NEWLINE)]) };
      from = to + 1;
      await this.#pause();
    }
  }

  async #readInto(chain: ByteChain, end: number): Promise<void> {
    for (let offset = 0; offset < end; ) {
      const bytes = readAt(this.#fd, offset, Math.min(READ_BYTES, end - offset));
      if (bytes.length === 0) return; // truncated meanwhile: the digest differs
      chain.add(bytes);
      offset += bytes.length;
      await this.#pause();
    }
  }

  /** Lets signals, timers and other requests run. */
  async #pause(): Promise<void> {
    if (performance.now() - this.#pausedAt < PAUSE_INTERVAL_MS) return;
    await setImmediate();
    this.#pausedAt = performance.now();
  }
}

/**
 * The end of the last whole line that ends within `maxBytes` after `start`, else of the first line, if that is not too long. Undefined if
 * there is no newline.
 */
function findLinesEnd(fd: SessionBytes, start: number, end: number, maxBytes: number): number | undefined {
  const first = readAt(fd, start, Math.min(maxBytes, end - start));
  const last = first.lastIndexOf(NEWLINE);
  if (last !== -1) return start + last + 1;
  const longest = Math.min(end, start + MAX_HUB_LINE_BYTES);
  for (let offset = start + first.length; offset < longest; ) {
    const bytes = readAt(fd, offset, Math.min(READ_BYTES, longest - offset));
    if (bytes.length === 0) return undefined;
    const newline = bytes.indexOf(NEWLINE);
    if (newline !== -1) return offset + newline + 1;
    offset += bytes.length;
  }
  return undefined;
}
