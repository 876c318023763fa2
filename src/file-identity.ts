/** What tells one file from another, beyond its name. */
import { type BigIntStats, statSync } from "node:fs";
import { fsPath } from "./path-bytes.ts";

/** Device and inode: the same as long as it is the same file, whatever its name. */
export function fileIdentity({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** The identity of the file that a path leads to; undefined when to none. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  return stat && fileIdentity(stat);
}

/** Another text once the file at a path is written to or replaced; undefined when there is none. */
export function fileStamp(path: string): string | undefined {
  const stat = statSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}
