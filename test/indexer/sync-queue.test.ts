import fc from "fast-check";
import { expect, test } from "vitest";
import { type QueuedSync, SyncQueue } from "../../indexer/sync-queue.ts";

/** A queue after its first full sync at time 0. */
function begun(intervalMs = 60_000): SyncQueue {
  const agenda = new SyncQueue(intervalMs);
  expect(agenda.take(0)).toEqual({ hasChanges: false });
  return agenda;
}

const files = (n: number) => Array.from({ length: n }, (_, i) => `/s/${i}.jsonl`);

test("files that change in quick succession are one sync", () => {
  const agenda = begun();
  agenda.addFile("/s/a.jsonl", 1_000);
  agenda.addFile("/s/b.jsonl", 1_020);
  agenda.addFile("/s/a.jsonl", 1_025);
  expect(agenda.take(1_029)).toBeUndefined();
  expect(agenda.take(1_030)).toEqual({ paths: ["/s/a.jsonl", "/s/b.jsonl"], hasChanges: true });
  expect(agenda.dueAt).toBe(60_000);
});

test("a sync does not wait for an endless stream of changes", () => {
  const agenda = begun();
  for (let now = 1_000; now < 1_030; now++) agenda.addFile("/s/a.jsonl", now);
  expect(agenda.dueAt).toBe(1_030);
  for (let now = 2_000; now < 5_000; now++) agenda.addFullSync(now);
  expect(agenda.dueAt).toBeLessThanOrEqual(3_000);
});

test("many files or a folder need a full sync once changes stop", () => {
  const agenda = begun();
  for (const file of files(3_000)) agenda.addFile(file, 1_000);
  expect(agenda.take(1_099)).toBeUndefined();
  expect(agenda.take(1_100)).toEqual({ hasChanges: true });
  agenda.addFile("/s/a.jsonl", 2_000);
  agenda.addFullSync(2_010);
  expect(agenda.take(2_110)).toEqual({ hasChanges: true });
  expect(agenda.take(50_000)).toBeUndefined();
});

test("a full sync is due again after the interval and includes files reported meanwhile", () => {
  const agenda = begun(1_000);
  expect(agenda.take(999)).toBeUndefined();
  agenda.addFile("/s/a.jsonl", 999);
  expect(agenda.take(1_000)).toEqual({ hasChanges: true });
  agenda.onFullSyncDone(1_700);
  expect(agenda.dueAt).toBe(2_700);
  expect(agenda.take(2_700)).toEqual({ hasChanges: false });
});

test("a failed sync is retried after a pause, with changes reported meanwhile, and nothing is due before", () => {
  const agenda = begun(1_000);
  agenda.addRetry({ paths: ["/s/a.jsonl"], hasChanges: true }, 5_000, 100);
  agenda.addFile("/s/b.jsonl", 200);
  expect(agenda.take(5_099)).toBeUndefined();
  agenda.intervalMs = 60_000;
  expect(agenda.take(5_100)).toEqual({ paths: ["/s/a.jsonl", "/s/b.jsonl"], hasChanges: true });
  agenda.addRetry({ hasChanges: false }, 100, 6_000);
  expect(agenda.take(6_100)).toEqual({ hasChanges: true });
});

test("every reported change is taken within the maximum storm", () => {
  const change = fc.record({
    file: fc.integer({ min: 0, max: 400 }),
    after: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 500 }), fc.integer({ min: 1, max: 300 }), (changes, stepMs) => {
      const agenda = begun();
      const waiting = new Map<string, number>();
      let now = 10;
      const take = () => {
        const task: QueuedSync | undefined = agenda.take(now);
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
        agenda.addFile(path, now);
      }
      now += 1_000;
      take();
      expect(waiting.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
