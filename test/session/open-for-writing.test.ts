/** oh-my-pi keeps a session open as long as it runs: a file that it writes to must not be replaced. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertNotOpen, isOpenByLsof, isOpenForWriting } from "../../src/session/writing/open-for-writing.ts";
import { temporaryFolder } from "../temporary.ts";

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/"}\n';
const LINE = '{"type":"custom","customType":"x","timestamp":"2026-01-05T09:00:01.000Z"}\n';

function write(): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, HEADER + LINE);
  return path;
}

describe.skipIf(process.platform === "win32")("a session that a program has open for writing", () => {
  test("is told from one that is only read", () => {
    const path = write();
    const [reader, writer] = [openSync(path, "r"), openSync(path, "r+")];
    try {
      const hasLsof = spawnSync("lsof", ["-v"]).error === undefined;
      const isOpen = (exceptFd?: number) => [
        isOpenForWriting(path, exceptFd),
        hasLsof ? isOpenByLsof(path, exceptFd) : exceptFd === undefined,
      ];
      expect(isOpen()).toEqual([true, true]);
      expect(isOpen(writer)).toEqual([false, false]);
    } finally {
      closeSync(reader);
      closeSync(writer);
    }
  });

  test("is an error for what would replace it", () => {
    const path = write();
    const fd = openSync(path, "a");
    try {
      expect(() => assertNotOpen(path)).toThrow(expect.objectContaining({ code: "SESSION_CHANGED" }));
    } finally {
      closeSync(fd);
    }
    expect(() => assertNotOpen(path)).not.toThrow();
  });
});
