/** oh-my-pi keeps a session open as long as it runs: a file that it writes to must not be replaced. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionManager } from "../../library/session-manager.ts";
import { moveSession } from "../../src/session/writing/move-session.ts";
import { isOpenByLsof, isOpenForWriting } from "../../src/session/writing/open-for-writing.ts";
import { temporaryFolder } from "../temporary.ts";

const toHeader = (version: number) =>
  `{"type":"session","version":${version},"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/"}\n`;
const LINE = '{"type":"custom","customType":"x","timestamp":"2026-01-05T09:00:01.000Z"}\n';
const LATER = LINE.replace(":01.", ":02.");

function write(version: number): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, toHeader(version) + LINE);
  return path;
}

describe.skipIf(process.platform === "win32")("a session that a program has open for writing", () => {
  test("is told from one that is only read", () => {
    const path = write(3);
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

  test.each([
    ["is not moved", 3, (path: string) => moveSession(path, join(path, "..", "other"), "/elsewhere")],
    [
      "is not moved within its folder",
      3,
      (path: string) => moveSession(path, join(path, ".."), "/elsewhere"),
    ],
    ["is not upgraded", 1, (path: string) => SessionManager.open(path)],
  ])("%s, so that no line is lost", (_, version, change) => {
    const path = write(version);
    const fd = openSync(path, "a");
    try {
      expect(() => change(path)).toThrow(expect.objectContaining({ code: "SESSION_CHANGED" }));
      writeSync(fd, LATER);
    } finally {
      closeSync(fd);
    }
    expect(readFileSync(path, "utf8")).toBe(toHeader(version) + LINE + LATER);
    expect(() => change(path)).not.toThrow(); // once it is closed
  });
});
