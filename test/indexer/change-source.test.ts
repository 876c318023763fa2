import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ChangeSource } from "../../indexer/change-source.ts";
import { SyncQueue } from "../../indexer/sync-queue.ts";
import { toRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";

/** Runs a script in a user namespace in which it can change the limit of file watches. */
const namespaced = (...argv: string[]) => spawnSync("unshare", ["-rm", ...argv], { encoding: "utf8" });
const canLimit =
  process.platform === "linux" &&
  namespaced("sh", "-c", "echo 2 > /proc/sys/user/max_inotify_watches").status === 0;

test.runIf(canLimit)("it waits longer after each failure, until watching works again", () => {
  const child = join(import.meta.dirname, "change-source-child.ts");
  const { stdout, stderr } = namespaced(process.execPath, child, temporaryFolder());
  expect(stderr).toBe("");
  const { pauses, notices } = JSON.parse(stdout);
  expect(pauses).toEqual([60, 120, 240, null, 60, 120]); // JSON cannot represent Infinity
  expect(notices.map((notice: string) => notice.split(/[:,]/)[0])).toEqual([
    "cannot watch folders",
    "the system reports changes again",
    "cannot watch folders",
  ]);
});

test("when aborted it stops trying to watch, without a notice", async () => {
  const notices: string[] = [];
  const listener = new ChangeSource(
    () => [toRoot(temporaryFolder())],
    new SyncQueue(60_000),
    () => {},
    (message) => notices.push(message),
  );
  const stop = new AbortController();
  const ended = listener.restart(0, stop.signal);
  stop.abort();
  await ended;
  expect([listener.isWatching, listener.dueAt, notices]).toEqual([false, Number.POSITIVE_INFINITY, []]);
});
