import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { temporaryFolder } from "../temporary.ts";
import { HOME } from "./cli.ts";

/** `npm start` with this home folder, and no variables for other session folders. */
function firstLook(home: string, ...argv: string[]) {
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  return spawnSync(process.execPath, [join(HOME, "bin", "quickstart.ts"), ...argv], {
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary },
    encoding: "utf8",
  });
}

test("npm start shows the sample sessions to a user without sessions, and says so", () => {
  const { status, stdout, stderr } = firstLook(temporaryFolder());
  expect(status, stderr).toBe(0);
  expect(stderr).toContain("using the sample sessions");
  expect(stdout).toContain("Queue all mail");
  expect(stdout).toMatch(/^cost /m);
});

test("npm start shows a user's own sessions", () => {
  const home = temporaryFolder();
  session({ cwd: "/home/grace/ship" }).user("Weigh the anchor").writeUnder(join(home, ".pi/agent/sessions"));
  const { status, stdout, stderr } = firstLook(home);
  expect(status, stderr).toBe(0);
  expect(stderr).not.toContain("sample sessions");
  expect(stdout).toContain("Weigh the anchor");
});

test("npm start passes its arguments to pidex", () => {
  const home = temporaryFolder();
  expect(firstLook(home, "completions", "bash").stdout).toContain("complete -F _pidex pidex");
  expect(firstLook(home, "nonsense").status).toBe(2);
});
