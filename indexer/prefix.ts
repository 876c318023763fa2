import { hash } from "node:crypto";
import { type ReadCount, readAt } from "../src/session/lines.ts";

const HEAD_BYTES = 4 << 10;
const TAIL_BYTES = 16 << 10;

/**
 * A hash of the first and the last of the bytes before `cursor`, by which a file that was rewritten is told
 * from one that only grew: pi upgrades old files in place, on the same inode. Of a file up to 20 KiB it covers
 * every byte.
 */
export function prefixHash(fd: number, cursor: number, count?: ReadCount): string {
  const headEnd = Math.min(cursor, HEAD_BYTES);
  const tailStart = Math.max(headEnd, cursor - TAIL_BYTES);
  const head = readAt(fd, 0, headEnd, count);
  const tail = readAt(fd, tailStart, cursor - tailStart, count);
  return hash("sha1", Buffer.concat([head, tail]), "base64");
}
