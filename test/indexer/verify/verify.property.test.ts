import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verify } from "../../../indexer/verify/verify.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openThrowaway, syncFolders } from "../index-at.ts";
import { checkLines, indexedLines } from "../lines-in-file.ts";
import { RootSimulation, steps } from "../root-simulation.ts";

// PIDEX_RUNS=2000 tests more cases and takes some minutes.
test("after any changes of files, a synced index has no differences", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const here = join(folder, String(++run));
      const simulation = new RootSimulation(join(here, "sessions"));
      mkdirSync(here, { recursive: true });
      const db = await openThrowaway(join(here, "index.db"));
      try {
        for (const step of [...taken, undefined]) {
          if (step) simulation.take(step);
          if (step?.sync === false) continue;
          await syncFolders(db, simulation.root);
        }
        const report = await verify(db, {
          roots: [toRoot(simulation.root)],
          open: openThrowaway,
          sync: false,
        });
        expect(report).toMatchObject({ differences: [], differenceCount: 0, changing: [] });
        expect(report.compared).toBe(report.files);
        for (const { file, rows } of indexedLines(db)) expect([...checkLines(file, rows)]).toEqual([]);
      } finally {
        await db.close();
        rmSync(here, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env.PIDEX_RUNS ?? 15) },
  );
}, 600_000);
