/** Measures how right the sessions of lines and commits are: `npm run blame:check -- --seeds 1-2 [--details]`. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeGitHistory } from "../../fixtures/git/history.ts";
import { openIndex } from "../../library/index.ts";
import { measure, type Scores, toPrecision, toRecall } from "./measure.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1-2" },
    certain: { type: "boolean", default: false },
    details: { type: "boolean", default: false },
  },
});
const [from = 1, to = from] = values.seeds.split("-").map(Number);
const sums: Scores[] = [];
for (let seed = from; seed <= to; seed++) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pidex-blame-")));
  try {
    const history = writeGitHistory(folder, seed);
    const index = await openIndex({ db: join(folder, "index.db"), roots: [history.sessionsRoot] });
    await index.sync();
    const scores = await measure(index, history, values.certain);
    await index.close();
    sums.push(scores);
    print(`seed ${seed}`, [scores]);
    if (values.details) for (const { details } of Object.values(scores)) console.log(details.join("\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (sums.length > 1) print("all", sums);

function print(name: string, scores: readonly Scores[]): void {
  for (const kind of ["lines", "commits", "uncommitted"] as const) {
    const sum = (field: "right" | "wrong" | "missed") =>
      scores.reduce((total, score) => total + score[kind][field], 0);
    const score = { right: sum("right"), wrong: sum("wrong"), missed: sum("missed"), details: [] };
    const counts = `right ${score.right}  wrong ${score.wrong}  missed ${score.missed}`;
    const rates = `precision ${toPrecision(score).toFixed(4)}  recall ${toRecall(score).toFixed(4)}`;
    console.log(`${name.padEnd(8)} ${kind.padEnd(12)} ${rates}  ${counts}`);
  }
}
