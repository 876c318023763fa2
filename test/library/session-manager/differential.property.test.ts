import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { peers, ours as pidex } from "./implementations.ts";
import { ManagerSimulation } from "./manager-simulation.ts";
import { anyOperation } from "./operations.ts";
import { setVariable } from "./stage.ts";

// PIDEX_RUNS=300 tests more cases, and takes a minute or more for each version of pi.
const RUNS = Number(process.env.PIDEX_RUNS ?? 25);

if (peers.length === 0) test.skip("pi is not installed");

test.each(peers)(
  "random operations, by either implementation or both in turn, have the same results as with $name",
  {
    timeout: 60_000 + RUNS * 3000,
  },
  async (pi) => {
    const base = realpathSync(temporaryFolder());
    setVariable("PI_CODING_AGENT_DIR", base);
    setVariable("PIDEX_DB", join(base, "index.db"));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { maxLength: 40, size: "max" }), async (operations) => {
        const folder = join(base, String(++run));
        // When the implementations switch, pi continues a session that pidex wrote, and vice versa.
        const theirs = new ManagerSimulation(`${folder}-a`, [pi, pidex]);
        const ours = new ManagerSimulation(`${folder}-b`, [pidex, pi]);
        expect(ours.snapshot()).toEqual(theirs.snapshot());
        for (const operation of operations) {
          expect(ours.apply(operation)).toEqual(theirs.apply(operation));
          expect(ours.snapshot()).toEqual(theirs.snapshot());
        }
        for (const simulation of [theirs, ours]) {
          for (const file of simulation.files)
            expect(simulation.snapshot(pidex, file)).toEqual(simulation.snapshot(pi, file));
        }
        const listed = run % 2 === 0 ? theirs : ours; // listing takes as long as the rest of the run
        expect(await listed.list(pidex)).toEqual(await listed.list(pi));
        for (const simulation of [theirs, ours]) rmSync(simulation.folder, { recursive: true });
      }),
      { numRuns: RUNS, endOnFailure: !process.env.PIDEX_RUNS },
    );
  },
);
