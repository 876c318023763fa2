import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary.ts";
import { peers, ours as pidex } from "./implementations.ts";
import { operation } from "./operations.ts";
import { setVariable } from "./stage.ts";
import { World } from "./world.ts";

// PIDEX_RUNS=300 looks harder: a minute or more for each version of pi.
const RUNS = Number(process.env.PIDEX_RUNS ?? 25);

if (peers.length === 0) test.skip("pi is not installed");

test.each(peers)(
  "whatever is done with sessions, by either or by turns, comes out as with $name",
  {
    timeout: 60_000 + RUNS * 3000,
  },
  async (pi) => {
    const base = realpathSync(temporaryFolder());
    setVariable("PI_CODING_AGENT_DIR", base);
    setVariable("PIDEX_DB", join(base, "index.db"));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40, size: "max" }), async (operations) => {
        const folder = join(base, String(++run));
        // When the implementations change, pi takes over what pidex wrote, and the other way round.
        const theirs = new World(`${folder}-a`, [pi, pidex]);
        const ours = new World(`${folder}-b`, [pidex, pi]);
        expect(ours.look()).toEqual(theirs.look());
        for (const each of operations) {
          expect(ours.apply(each)).toEqual(theirs.apply(each));
          expect(ours.look()).toEqual(theirs.look());
        }
        for (const world of [theirs, ours]) {
          for (const file of world.files) expect(world.look(pidex, file)).toEqual(world.look(pi, file));
        }
        const listed = run % 2 === 0 ? theirs : ours; // a list takes as long as all the rest
        expect(await listed.list(pidex)).toEqual(await listed.list(pi));
        for (const world of [theirs, ours]) rmSync(world.folder, { recursive: true });
      }),
      { numRuns: RUNS, endOnFailure: !process.env.PIDEX_RUNS },
    );
  },
);
