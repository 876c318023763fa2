/**
 * Compares estimates with recorded costs, where both exist: `npm run estimates:check -- --root DIR`. Each event with a recorded cost and a
 * model with a known price is estimated as if it had none; the table has the sums and errors by model.
 */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openIndex } from "../library/index.ts";
import { createPriceBook, priceTokens } from "../library/internal.ts";

const { values } = parseArgs({ options: { root: { type: "string", multiple: true } } });
const roots = values.root;
if (!roots) throw new Error("usage: npm run estimates:check -- --root DIR");

interface Row {
  events: number;
  recorded: number;
  estimated: number;
  /** Events whose estimate is more than 1 % off. */
  off: number;
}

const folder = await mkdtemp(join(tmpdir(), "pidex-estimates-"));
try {
  const index = await openIndex({ db: join(folder, "index.db"), roots });
  await index.sync();
  const book = createPriceBook();
  const byModel = new Map<string, Row>();
  let withoutCost = 0;
  for await (const event of index.usageEvents()) {
    if (event.costNanoUsd === 0) {
      if (event.billed) withoutCost++;
      continue;
    }
    const { provider = "", model = "", tokens, time } = event;
    const price = model && book.find(provider, model, time === undefined ? Date.now() : Date.parse(time));
    const key = `${provider}/${model}${price ? "" : model ? " (no price known)" : "(model not recorded)"}`;
    const row = byModel.get(key) ?? { events: 0, recorded: 0, estimated: 0, off: 0 };
    byModel.set(key, row);
    const isOneResponse = event.kind !== "tool" && event.kind !== "subagent";
    const prompt = isOneResponse ? tokens.input + tokens.cacheRead + tokens.cacheWrite : 0;
    const estimated = price ? priceTokens(price, tokens, prompt - 1) : 0;
    row.events++;
    row.recorded += event.costNanoUsd;
    row.estimated += estimated;
    if (Math.abs(estimated - event.costNanoUsd) > 0.01 * event.costNanoUsd) row.off++;
  }
  await index.close();
  const rows = [...byModel].sort(([, a], [, b]) => b.recorded - a.recorded);
  console.log("| model | events | recorded | estimated | error | events off by more than 1 % |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const [model, { events, recorded, estimated, off }] of rows) {
    const error = model.endsWith(")") ? "-" : `${((estimated / recorded - 1) * 100).toFixed(2)} %`;
    const usd = (nano: number) => `$${(nano / 1e9).toFixed(4)}`;
    console.log(`| ${model} | ${events} | ${usd(recorded)} | ${usd(estimated)} | ${error} | ${off} |`);
  }
  console.log(`\n${withoutCost} billed events have no recorded cost.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
