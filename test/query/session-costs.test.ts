import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";

test("sessions that are also indexed in another folder have their costs in searches, by page and as a filter", async () => {
  const folder = temporaryFolder();
  const [original, copy] = [join(folder, "original"), join(folder, "copy")] as const;
  const COSTS = [1, 2, 4];
  for (const usd of COSTS)
    session({ id: `s${usd}` })
      .user("Pay.")
      .assistant("Done.", { usage: { input: 1, output: 1, cost: { total: usd } } })
      .writeUnder(original);
  cpSync(original, copy, { recursive: true });
  const db = join(folder, "index.db");
  for (const root of [original, copy, original]) {
    const index = await openIndex({ db, roots: [root] });
    onTestFinished(() => index.close());
    await index.sync();
    const costsOf = async (query: string, limit: number) => {
      const { sessions } = await index.search(query, { costs: true, limit });
      return sessions.map(({ session: { id, costUsd } }) => [id, costUsd]).toSorted();
    };
    const all = COSTS.map((usd) => [`s${usd}`, usd]);
    expect(await costsOf("pay", 10)).toEqual(all);
    for (const [name, cost] of all) expect(await costsOf(`pay session:${name}`, 1)).toEqual([[name, cost]]);
    expect(await costsOf("pay cost:>1", 10)).toEqual(all.slice(1));
    expect(await costsOf("cost:2", 10)).toEqual(all.slice(1, 2));
  }
});
