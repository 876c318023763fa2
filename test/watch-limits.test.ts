import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { raiseLimitCommand, toWatchError } from "../src/watch-limits.ts";
import { temporaryFolder } from "./temporary.ts";

const raisedTo = (command: string) => Number(command.match(/^sudo sysctl fs\.inotify\.\w+=(\d+);/)?.[1]);

test("a limit is raised to the usual value, twice its current value, or the needs of the folders", () => {
  expect(raisedTo(raiseLimitCommand("maxWatches", { maxWatches: 8_192 }))).toBe(524_288);
  expect(raisedTo(raiseLimitCommand("maxWatches", { maxWatches: 1_000_000 }))).toBe(2_000_000);
  expect(raisedTo(raiseLimitCommand("maxWatches", { maxWatches: 8_192 }, 200_000))).toBe(800_000);
  expect(raisedTo(raiseLimitCommand("maxInstances", { maxInstances: 128 }, 200_000))).toBe(1_024);
  expect(raisedTo(raiseLimitCommand("maxInstances", {}))).toBe(1_024);
});

const script = join(import.meta.dirname, "..", "src", "watch-limits.ts");
const unwatchable = (limit: string, folder: string) => {
  const code = `import(${JSON.stringify(script)}).then(async ({ tryWatching }) => console.log(JSON.stringify(await tryWatching(${JSON.stringify(folder)}))))`;
  const command = `echo 0 > /proc/sys/user/${limit} && exec "$@"`;
  return spawnSync("unshare", ["-rm", "sh", "-c", command, "sh", process.execPath, "-e", code], {
    encoding: "utf8",
  });
};
const canLimit =
  process.platform === "linux" &&
  spawnSync("unshare", ["-rm", "sh", "-c", "echo 2 > /proc/sys/user/max_inotify_watches"]).status === 0;

test.runIf(canLimit)("the reason why a folder cannot be watched is reported with the limit", () => {
  const folder = temporaryFolder();
  const watches = unwatchable("max_inotify_watches", folder);
  expect(JSON.parse(watches.stdout)).toEqual({
    reason: "the system has no file watches left",
    limit: "maxWatches",
  });
  const instances = unwatchable("max_inotify_instances", folder);
  expect(JSON.parse(instances.stdout)).toEqual({
    reason: "too many files or watchers are open",
    limit: "maxInstances",
  });
});

test("an error that isn't a limit is reported with the system's message", () => {
  expect(toWatchError(new Error("EIO: i/o error"))).toEqual({ reason: "EIO: i/o error" });
});
