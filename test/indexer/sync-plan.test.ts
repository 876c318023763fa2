import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

test("the amount to read is reported before reading, and aborting then reads nothing", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const paths = ["a", "b"].map((id) => session({ id }).user(`hello ${id}`).writeUnder(root));
  const bytes = paths.reduce((sum, path) => sum + statSync(String(path)).size, 0);
  const index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
  try {
    const plans: { files: number; bytes: number }[] = [];
    const stop = new AbortController();
    const unwanted = index.sync({
      signal: stop.signal,
      onPlan: (plan) => {
        plans.push(plan);
        stop.abort(new Error("too much"));
      },
    });
    await expect(unwanted).rejects.toThrow("too much");
    expect(plans).toEqual([{ files: 2, bytes, index: { files: 2, indexed: 0 } }]);
    expect((await index.listAll()).total).toBe(0);

    const { added } = await index.sync({ onPlan: (plan) => plans.push(plan) });
    expect([added, plans.length]).toEqual([2, 2]);
  } finally {
    await index.close();
  }
});
