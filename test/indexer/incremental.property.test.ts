import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { catalog } from "../../fixtures/catalog.ts";
import { discover } from "../../indexer/discover.ts";
import { type IngestCount, ingest } from "../../indexer/ingest.ts";
import { prepareRowWriter } from "../../indexer/rows.ts";
import { openIndex } from "../../library/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, openThrowaway, rebuilt, syncFolders } from "./index-at.ts";
import { oddSteps, RootSimulation } from "./root-simulation.ts";

const SEED = process.env.PIDEX_SEED;
const REMOUNT = "UPDATE file SET inode = '4711' || substr(inode, instr(inode, ':'))";

/** The results of an index, without row ids: the list, a search, and the usage. */
async function answersOf(db: string, root: string) {
  const index = await openIndex({ db, roots: [root] });
  try {
    const { sessions } = await index.listAll({ subagents: "yes" });
    // Of several copies, the one that was indexed first is shown: they have the same id.
    const { hits } = await index.searchEntries("question OR answer OR redacted", {
      limit: 1_000,
      subagents: "yes",
    });
    const { total } = await index.usage({ by: ["session"] });
    const inOrder = <T>(rows: T[]) => rows.map((row) => JSON.stringify(row)).sort();
    return { sessions: inOrder(sessions), hits: inOrder(hits.map(({ entryId }) => entryId)), total };
  } finally {
    await index.close();
  }
}

// PIDEX_RUNS=500 tests more cases and takes some minutes. PIDEX_SEED=n repeats one.
test("after any changes of files, a sync leaves the rows of a fresh index", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(oddSteps, async (taken) => {
      const here = join(folder, String(++run));
      const simulation = new RootSimulation(join(here, "sessions"));
      mkdirSync(here, { recursive: true });
      const db = await openThrowaway(join(here, "index.db"));
      try {
        let rebuilds = 0;
        for (const step of [...taken, undefined]) {
          if (step) simulation.take(step);
          if (step && !step.sync) continue;
          // The file system was remounted.
          if (step && step.choice % 9 === 0) db.writer.exec(REMOUNT);
          const report = await syncFolders(db, simulation.root);
          expect(report.busy).toBe(false);
          const outcomes = report.skipped + report.added + report.appended + report.reindexed + report.moved;
          expect(outcomes + report.faulty).toBe(report.files);
          const fresh = await rebuilt(join(here, `rebuilt-${++rebuilds}.db`), simulation.root);
          expect(dumpTables(db.writer)).toEqual(fresh);
        }
        const results = await answersOf(join(here, "index.db"), simulation.root);
        expect(results).toEqual(await answersOf(join(here, `rebuilt-${rebuilds}.db`), simulation.root));
      } finally {
        await db.close();
        rmSync(here, { recursive: true, force: true });
      }
    }),
    {
      numRuns: Number(process.env.PIDEX_RUNS ?? 25),
      endOnFailure: process.env.PIDEX_SEED !== undefined,
      ...(SEED && { seed: Number(SEED) }),
    },
  );
}, 3_600_000);

test("a file read in chunks of any size has the rows of one read at once", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  for (const { path, session } of catalog) session.write(join(root, path));
  const { files } = await discover([toRoot(root)]);
  const whole = await rebuilt(join(folder, "whole.db"), root);

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4_000 }), async (budget) => {
      const db = await openThrowaway(join(folder, `sliced-${budget}.db`));
      const rowWriter = prepareRowWriter(db.writer);
      const count: IngestCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
      for (const file of files) {
        while (!rowWriter.transaction(() => ingest({ rowWriter, file, budget, count }).isComplete));
      }
      const sliced = dumpTables(db.writer);
      await db.close();
      rmSync(join(folder, `sliced-${budget}.db`));
      expect(sliced).toEqual(whole);
    }),
    { numRuns: 10 },
  );
});

test("the comparison finds a row that differs", async () => {
  const folder = temporaryFolder();
  const simulation = new RootSimulation(join(folder, "sessions"));
  simulation.take({ action: "create", file: 0, choice: 9, sync: true });
  const db = await databaseIn(folder);
  await syncFolders(db, simulation.root);
  const before = dumpTables(db.writer);
  expect(await rebuilt(join(folder, "other.db"), simulation.root)).toEqual(before);
  db.writer.exec("DELETE FROM entry_text");
  expect(dumpTables(db.writer)).not.toEqual(before);
});

test("the comparison rejects unknown tables and columns", async () => {
  const db = await databaseIn(temporaryFolder());
  db.writer.exec("ALTER TABLE label ADD COLUMN color TEXT");
  expect(() => dumpTables(db.writer)).toThrow("differ in the columns color");
  db.writer.exec("ALTER TABLE label DROP COLUMN color; CREATE TABLE news (id INTEGER)");
  expect(() => dumpTables(db.writer)).toThrow("does not know the tables news");
});
