/**
 * Finds out whether a program has a file open for writing. pi opens a session for each entry, but oh-my-pi keeps it open as long as the
 * session is: what it appends to a file that was removed or replaced meanwhile would be lost.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";
import { PidexError } from "../../errors.ts";
import { getFileIdentity, toFileIdentity } from "../../file-identity.ts";

/**
 * Whether any program, this one included, has a file open for writing. Processes of other users, and those on other machines that share
 * the file, are not seen. On Windows always false: there, an open file cannot be removed.
 *
 * @param exceptFd a descriptor of this process that does not count
 */
export function isOpenForWriting(path: string, exceptFd?: number): boolean {
  if (process.platform === "win32") return false;
  return process.platform === "linux" ? isOpenByProc(path, exceptFd) : isOpenByLsof(path, exceptFd);
}

/** How often, and after how long, it is checked again whether a program that appends one entry has closed the file. */
const CHECKS = 4;
const CHECK_INTERVAL_MS = 15;

/** @throws PidexError `SESSION_CHANGED` if a program keeps the session open for writing */
export function assertNotOpen(path: string): void {
  for (let check = 1; isOpenForWriting(path); check++) {
    if (check === CHECKS) throw sessionIsOpen(path);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CHECK_INTERVAL_MS);
  }
}

export function sessionIsOpen(path: string): PidexError {
  const hint = "Close the session there, then try again. It was left as it is.";
  return new PidexError("SESSION_CHANGED", `a program has ${path} open for writing`, hint);
}

function isOpenByProc(path: string, exceptFd: number | undefined): boolean {
  const identity = getFileIdentity(path);
  // A process in a container has the file under another path, but with the same name.
  const name = Buffer.from(`/${basename(path)}`);
  for (const pid of listNames("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of listNames(`/proc/${pid}/fd`)) {
      if (Number(fd) === exceptFd && Number(pid) === process.pid) continue;
      try {
        const link = readlinkSync(`/proc/${pid}/fd/${fd}`, "buffer");
        if (!link.subarray(-name.length).equals(name)) continue;
        const stat = statSync(`/proc/${pid}/fd/${fd}`, { bigint: true });
        if (toFileIdentity(stat) === identity && isWriter(pid, fd)) return true;
      } catch {
        // It was closed meanwhile.
      }
    }
  }
  return false;
}

const ACCESS_MODE = 0o3;

function isWriter(pid: string, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1"))?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a process that ended, or of another user
  }
}

/** Without `lsof`, which macOS has, nothing is known, and the file counts as closed. */
export function isOpenByLsof(path: string, exceptFd?: number): boolean {
  const { stdout } = spawnSync("lsof", ["-nPw", "-F", "pfa", "--", path], { encoding: "latin1" });
  let pid = "";
  let fd = "";
  for (const line of (stdout ?? "").split("\n")) {
    if (line.startsWith("p")) pid = line.slice(1);
    else if (line.startsWith("f")) fd = line.slice(1);
    else if (/^a[wu]/.test(line) && !(Number(pid) === process.pid && Number(fd) === exceptFd)) return true;
  }
  return false;
}
