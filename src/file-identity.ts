import { type BigIntStats, statSync } from "node:fs";
import { fsPath } from "./path-bytes.ts";

/** Device and inode, which a file keeps when it is renamed. */
export function fileIdentity({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** The identity of the file at a path, or undefined if there is none. Follows links. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  return stat && fileIdentity(stat);
}

/** A text that changes when the file at a path is modified or replaced; undefined if there is no file. */
export function fileStamp(path: string): string | undefined {
  const stat = statSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}
