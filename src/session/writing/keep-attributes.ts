/** Gives a new file the mode, owner and times of another one. */
import { execFileSync } from "node:child_process";
import { fchmodSync, fchownSync, fstatSync, futimesSync } from "node:fs";
import { systemCode } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";

/** Keeps the mode and, if permitted, the owner. */
export function keepMode(from: number, to: number): void {
  const { mode, uid, gid } = fstatSync(from);
  keepOwner(to, uid, gid);
  fchmodSync(to, mode & 0o7777);
}

export function keepOwner(fd: number, uid: number, gid: number): void {
  const now = fstatSync(fd);
  if (process.platform === "win32" || (now.uid === uid && now.gid === gid)) return;
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    if (systemCode(error) !== "EPERM") throw error; // only root may give files away
  }
}

/**
 * Keeps the time of the last change. Node's times are a quarter of a microsecond exact; `touch` keeps every nanosecond, and is
 * used where it exists.
 *
 * @param reference path of the file that is open as `from`
 */
export function copyTimes(from: number, to: { fd: number; path: string }, reference: string): void {
  const { atimeNs, mtimeNs } = fstatSync(from, { bigint: true });
  futimesSync(to.fd, toSeconds(atimeNs), toSeconds(mtimeNs));
  const isExact = fstatSync(to.fd, { bigint: true }).mtimeNs === mtimeNs;
  const paths = [encodePath(reference), encodePath(to.path)];
  if (isExact || process.platform === "win32" || paths.some((path) => typeof path !== "string")) return;
  try {
    execFileSync("touch", ["-m", "-r", reference, to.path], { stdio: "ignore" });
  } catch {
    // the time is nearly the same
  }
  // Another file may have the reference's path now.
  const difference = fstatSync(to.fd, { bigint: true }).mtimeNs - mtimeNs;
  if (difference < -MAX_DIFFERENCE_NS || difference > MAX_DIFFERENCE_NS)
    futimesSync(to.fd, toSeconds(atimeNs), toSeconds(mtimeNs));
}

const MAX_DIFFERENCE_NS = 1000n;

function toSeconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e9;
}
