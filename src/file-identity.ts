import { type BigIntStats, statSync } from "node:fs";
import { encodePath } from "./path-bytes.ts";

/** Device and inode, which a file keeps when it is renamed. */
export function toFileIdentity({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** The identity of the file at a path, or undefined if there is none. Follows links. */
export function getFileIdentity(path: string): string | undefined {
  const stat = statSync(encodePath(path), { bigint: true, throwIfNoEntry: false });
  return stat && toFileIdentity(stat);
}

/** A text that changes when the file at a path is modified or replaced; undefined if there is no file. */
export function getFileStamp(path: string): string | undefined {
  const stat = statSync(encodePath(path), { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}
