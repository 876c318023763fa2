/**
 * A change source on a system that first has no file watches left, then some, then none again. Prints its reports and its retry
 * times. Run in a user namespace by `change-source.test.ts`.
 */
import { writeFileSync } from "node:fs";
import { ChangeSource } from "../../indexer/change-source.ts";
import { SyncQueue } from "../../indexer/sync-queue.ts";
import { toRoot } from "../../src/session/locations.ts";

const [root = ""] = process.argv.slice(2);
const notices: string[] = [];
const source = new ChangeSource(
  () => [toRoot(root)],
  new SyncQueue(60_000),
  () => {},
  (message) => notices.push(message),
);
const pauses: number[] = [];

async function restartWithLimit(maxWatches: number): Promise<void> {
  writeFileSync("/proc/sys/user/max_inotify_watches", String(maxWatches));
  const now = performance.now();
  await source.restart(now);
  pauses.push(Math.round((source.dueAt - now) / 1000));
}

for (const maxWatches of [0, 0, 0, 1_000, 0, 0]) await restartWithLimit(maxWatches);
await source.close();
console.log(JSON.stringify({ pauses, notices }));
