import fc from "fast-check";
import { expect, test } from "vitest";
import { type QueuedSync, SyncQueue } from "../../indexer/sync-queue.ts";

/** A queue after its first full sync at time 0. */
function createQueue(intervalMs = 60_000): SyncQueue {
  const queue = new SyncQueue(intervalMs);
  expect(queue.take(0)).toEqual({ hasChanges: false });
  return queue;
}

const files = (n: number) => Array.from({ length: n }, (_, i) => `/s/${i}.jsonl`);

test("files that change in quick succession are one sync", () => {
  const queue = createQueue();
  queue.addFile("/s/a.jsonl", 1_000);
  queue.addFile("/s/b.jsonl", 1_020);
  queue.addFile("/s/a.jsonl", 1_025);
  expect(queue.take(1_029)).toBeUndefined();
  expect(queue.take(1_030)).toEqual({ paths: ["/s/a.jsonl", "/s/b.jsonl"], hasChanges: true });
  expect(queue.dueAt).toBe(60_000);
});

test("a sync does not wait for an endless stream of changes", () => {
  const queue = createQueue();
  for (let now = 1_000; now < 1_030; now++) queue.addFile("/s/a.jsonl", now);
  expect(queue.dueAt).toBe(1_030);
  for (let now = 2_000; now < 5_000; now++) queue.addFullSync(now);
  expect(queue.dueAt).toBeLessThanOrEqual(3_000);
});

test("many files or a folder need a full sync once changes stop", () => {
  const queue = createQueue();
  for (const file of files(3_000)) queue.addFile(file, 1_000);
  expect(queue.take(1_099)).toBeUndefined();
  expect(queue.take(1_100)).toEqual({ hasChanges: true });
  queue.addFile("/s/a.jsonl", 2_000);
  queue.addFullSync(2_010);
  expect(queue.take(2_110)).toEqual({ hasChanges: true });
  expect(queue.take(50_000)).toBeUndefined();
});

test("a full sync is due again after the interval and includes files reported meanwhile", () => {
  const queue = createQueue(1_000);
  expect(queue.take(999)).toBeUndefined();
  queue.addFile("/s/a.jsonl", 999);
  expect(queue.take(1_000)).toEqual({ hasChanges: true });
  queue.onFullSyncDone(1_700);
  expect(queue.dueAt).toBe(2_700);
  expect(queue.take(2_700)).toEqual({ hasChanges: false });
});

test("a failed sync is retried after a pause, with changes reported meanwhile, and nothing is due before", () => {
  const queue = createQueue(1_000);
  queue.addRetry({ paths: ["/s/a.jsonl"], hasChanges: true }, 5_000, 100);
  queue.addFile("/s/b.jsonl", 200);
  expect(queue.take(5_099)).toBeUndefined();
  queue.intervalMs = 60_000;
  expect(queue.take(5_100)).toEqual({ paths: ["/s/a.jsonl", "/s/b.jsonl"], hasChanges: true });
  queue.addRetry({ hasChanges: false }, 100, 6_000);
  expect(queue.take(6_100)).toEqual({ hasChanges: true });
});

test("every reported change is taken within the maximum storm", () => {
  const change = fc.record({
    file: fc.integer({ min: 0, max: 400 }),
    after: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 500 }), fc.integer({ min: 1, max: 300 }), (changes, stepMs) => {
      const queue = createQueue();
      const waiting = new Map<string, number>();
      let now = 10;
      const take = () => {
        const task: QueuedSync | undefined = queue.take(now);
        for (const path of task ? (task.paths ?? [...waiting.keys()]) : []) waiting.delete(path);
        for (const since of waiting.values()) expect(now - since).toBeLessThan(1_000 + stepMs);
      };
      let nextLook = now;
      for (const { file, after } of changes) {
        for (const until = now + after; now < until; now++) {
          if (now < nextLook) continue;
          take();
          nextLook = now + stepMs;
        }
        const path = `/s/${file}.jsonl`;
        if (!waiting.has(path)) waiting.set(path, now);
        queue.addFile(path, now);
      }
      now += 1_000;
      take();
      expect(waiting.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
