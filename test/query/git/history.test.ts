import { expect, test } from "vitest";
import { measure, toPrecision, toRecall } from "../../../bench/blame/measure.ts";
import { writeGitHistory } from "../../../fixtures/git/history.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openOver } from "../opened-queries.ts";

/** Seed 2 takes as long again: `PIDEX_BLAME_SEEDS=1,2`. More: `npm run blame:check -- --seeds 3-12`. */
const SEEDS = (process.env.PIDEX_BLAME_SEEDS ?? "1").split(",").map(Number);

test.each(SEEDS)(
  "in a generated history (seed %d) no line, commit or uncommitted file has a wrong session, and 9 of 10 are found",
  { timeout: 300_000 },
  async (seed) => {
    const history = writeGitHistory(temporaryFolder(), seed);
    const index = await openOver([history.sessionsRoot]);
    await index.sync();
    for (const [kind, score] of Object.entries(await measure(index, history))) {
      expect(toPrecision(score), `${kind}: ${score.details.join("\n")}`).toBe(1);
      expect(toRecall(score), kind).toBeGreaterThanOrEqual(0.9);
    }
  },
);
