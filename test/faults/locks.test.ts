/** Lock files that cannot be locked, or are not regular files. */
import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import SQLite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { failure } from "../query/opened-queries.ts";
import { temporaryFolder } from "../temporary.ts";
import { type Indexed, open, twoSessions } from "./indexed.ts";
import { runPidex } from "./machine.ts";

const canCompile = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

/** A preloaded library that makes every lock fail, like NFS without a lock daemon. */
const NO_LOCKS = `
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
static int answer(int fd, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
  return syscall(SYS_fcntl, fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
  return answer(fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
  return answer(fd, command, argument);
}
`;

function createWorkspace(): Indexed {
  const target = twoSessions(temporaryFolder());
  mkdirSync(dirname(target.db));
  return target;
}

test.skipIf(!canCompile)("a file system without locks is reported (skipped without a C compiler)", () => {
  const target = createWorkspace();
  const [source, library] = [join(target.folder, "no-locks.c"), join(target.folder, "no-locks.so")];
  writeFileSync(source, NO_LOCKS);
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, source]);
  const call = ["list", "--root", target.root, "--db", target.db];
  const [written] = runPidex({ env: { LD_PRELOAD: library } }, call);
  expect([written?.exit, written?.out]).toEqual([1, ""]);
  expect(written?.err).toMatch(/^pidex: .*index\.db cannot be used: its file system has no file locks\n/);
  expect(written?.err).toContain("local disk");
  expect(readdirSync(dirname(target.db)).filter((name) => /probe/.test(name))).toEqual([]);
});

describe("a lock file that is", () => {
  /** Creates a database of another program. @returns its bytes */
  function createForeignDatabase(path: string): Buffer {
    const handle = new SQLite(path);
    handle.exec("CREATE TABLE note (text); INSERT INTO note VALUES ('keep me')");
    handle.close();
    return readFileSync(path);
  }

  test.each([".open", ".turn"])("a link to another database (%s) is not followed", async (side) => {
    const target = createWorkspace();
    const other = join(target.folder, "other.db");
    const before = createForeignDatabase(other);
    symlinkSync(other, target.db + side);
    const error = await failure(openAndSync(target));
    expect(error).toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      hint: expect.stringContaining(target.db + side),
    });
    expect(readFileSync(other).equals(before)).toBe(true);
    rmSync(target.db + side);
    await openAndSync(target);
  });

  test.each([".open", ".turn"])(
    "another database under a second name (%s) is not written to",
    async (side) => {
      const target = createWorkspace();
      const other = join(target.folder, "other.db");
      const before = createForeignDatabase(other);
      linkSync(other, target.db + side);
      expect((await failure(openAndSync(target))).code).toBe("DATABASE_UNAVAILABLE");
      expect(readFileSync(other).equals(before)).toBe(true);
    },
  );

  test.skipIf(process.platform === "win32").each([".open", ".turn"])(
    "a pipe (%s) is refused without waiting",
    async (side) => {
      const target = createWorkspace();
      execFileSync("mkfifo", [target.db + side]);
      expect((await failure(openAndSync(target))).code).toBe("DATABASE_UNAVAILABLE");
    },
  );

  async function openAndSync(target: Indexed): Promise<void> {
    await using index = await open(target);
    await index.sync();
  }
});
