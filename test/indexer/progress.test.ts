/** Progress of a sync: totals known in advance, and counts of the whole index. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import type { SyncProgress } from "../../indexer/report.ts";
import { sync } from "../../indexer/sync.ts";
import { toRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn } from "./index-at.ts";

/** So small that a root of a few kilobytes is a large load. */
const BATCH = 4 << 10;

function write(root: string, id: string): string {
  const talk = session({ id });
  for (let n = 0; n < 8; n++) talk.user(`${id} says ${n} ${"hay ".repeat(250)}`);
  return talk.writeUnder(root);
}

test.each([
  ["a large load, which reads files twice", BATCH],
  ["a sync that reads them once", undefined],
])("%s: totals stay, counts only grow, and every byte counts once", async (_, batchBytes) => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const paths = Array.from({ length: 12 }, (_, n) => write(root, `talk${n}`));
  const size = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  const db = await databaseIn(folder);
  const plans: object[] = [];
  const reports: SyncProgress[] = [];
  const report = await sync(db, {
    roots: [toRoot(root)],
    ...(batchBytes && { batchBytes }),
    onPlan: (plan) => plans.push(plan),
    onProgress: (progress) => reports.push(progress),
  });
  expect(plans).toEqual([{ files: 12, bytes: size, index: { files: 12, indexed: 0 } }]);
  expect(report.bytesRead).toBe(size);
  expect(report.linesRead).toBe(12 * 9);
  expect(reports.length).toBeGreaterThan(batchBytes ? 3 : 0);
  expect(new Set(reports.map(({ bytesTotal, filesTotal }) => `${bytesTotal} ${filesTotal}`))).toEqual(
    new Set([`${size} 12`]),
  );
  for (const what of ["bytesDone", "filesDone"] as const) {
    const counts = reports.map((progress) => progress[what]);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  }
  expect(reports.at(-1)).toEqual({
    ...{ filesDone: 12, filesTotal: 12, bytesDone: size, bytesTotal: size },
    index: { files: 12, indexed: 12 },
  });
});

test("the number of indexed files includes those of earlier syncs and those not searchable yet", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = await databaseIn(folder);
  const options = { roots: [toRoot(root)], batchBytes: BATCH };
  for (let n = 0; n < 5; n++) write(root, `old${n}`);
  await sync(db, options);
  for (let n = 0; n < 6; n++) write(root, `new${n}`);
  const abort = new AbortController();
  const rows = () => db.writer.prepare("SELECT count(*) FROM session").pluck().get();
  const aborted = sync(db, {
    ...options,
    signal: abort.signal,
    onProgress: ({ index }) => {
      // Sessions are listed as soon as their rows are written, possibly including the file that is being read.
      expect(Number(rows()) - (index?.indexed ?? 0)).toBeOneOf([0, 1]);
      if (index?.indexed === 9) abort.abort(new Error("enough"));
    },
  });
  await expect(aborted).rejects.toThrow("enough");
  const plans: object[] = [];
  const reports: SyncProgress[] = [];
  await sync(db, {
    ...options,
    onPlan: ({ files, index }) => plans.push({ files, index }),
    onProgress: (progress) => reports.push(progress),
  });
  expect(plans).toEqual([{ files: 6, index: { files: 11, indexed: 9 } }]);
  expect(reports[0]?.index?.indexed).toBeGreaterThanOrEqual(9);
  expect(reports.at(-1)?.index).toEqual({ files: 11, indexed: 11 });
});
