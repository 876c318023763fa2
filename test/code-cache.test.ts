import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOME } from "./bin/cli.ts";
import { temporaryFolder } from "./temporary.ts";

/** Runs pidex with a cache folder. */
function start(caches: string, env: Record<string, string> = {}) {
  const { NODE_DISABLE_COMPILE_CACHE: _, NODE_COMPILE_CACHE: __, ...rest } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [join(HOME, "bin", "pidex.ts"), "--version"], {
    encoding: "utf8",
    env: { ...rest, XDG_CACHE_HOME: caches, ...env },
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\d+\./);
}

/** The contents of a folder; empty if it is missing. */
const inside = (folder: string): string[] =>
  statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];

test("compiled code is cached in the user's cache folder, readable by its owner only", () => {
  const caches = join(temporaryFolder(), "cache");
  start(caches);
  const code = join(caches, "pidex", "code");
  expect(inside(code)).not.toEqual([]);
  if (process.platform !== "win32") expect(statSync(code).mode & 0o777).toBe(0o700);
});

test.skipIf(process.platform === "win32")("not if other users can write to the folder", () => {
  const caches = temporaryFolder();
  const code = join(caches, "pidex", "code");
  mkdirSync(code, { recursive: true });
  chmodSync(code, 0o777);
  start(caches);
  expect(inside(code)).toEqual([]);
});

test("pidex works without the cache if it cannot be written", () => {
  start(join(HOME, "package.json", "cache"));
});

test("NODE_COMPILE_CACHE selects another folder, NODE_DISABLE_COMPILE_CACHE none", () => {
  const [caches, other] = [temporaryFolder(), temporaryFolder()];
  start(caches, { NODE_COMPILE_CACHE: other });
  expect(inside(join(caches, "pidex", "code"))).toEqual([]);
  expect(inside(other)).not.toEqual([]);
  start(caches, { NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(inside(join(caches, "pidex", "code"))).toEqual([]);
});
