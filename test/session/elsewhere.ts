/** A second file system for tests that move files between two: `/dev/shm`, if the machine has it. */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Where that file system is mounted. */
export const ELSEWHERE = "/dev/shm";

/** A parent of temporary folders on a disk: the usual one may be in memory too. */
export const ON_DISK = isOnDisk(tmpdir()) ? tmpdir() : "/var/tmp";

const uid = process.getuid?.() ?? 0;
const trashesThere = [join(ELSEWHERE, ".Trash"), join(ELSEWHERE, `.Trash-${uid}`)];

export const hasElsewhere =
  existsSync(ELSEWHERE) && isOnDisk(ON_DISK) && !trashesThere.some((path) => existsSync(path));

function isOnDisk(path: string): boolean {
  if (!existsSync(path)) return false;
  return !existsSync(ELSEWHERE) || statSync(path).dev !== statSync(ELSEWHERE).dev;
}

/** An empty folder there, deleted after the test with the trash of its file system. */
export function folderElsewhere(): string {
  const folder = mkdtempSync(join(ELSEWHERE, "pidex-test-"));
  onTestFinished(() => {
    for (const path of [folder, ...trashesThere]) rmSync(path, { recursive: true, force: true });
  });
  return folder;
}
