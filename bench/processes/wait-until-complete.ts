/**
 * Polls an index that another process is building until it lists all sessions and reports their total cost, then reports when
 * each was first the case. Doesn't sync.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openIndex } from "../../library/index.ts";

/** In Unix milliseconds. */
export interface CompletionTimes {
  listedAt: number;
  costsAt: number;
}

/** Long enough to take little processor time from the other process. */
const POLL_INTERVAL_MS = 100;

export async function waitUntilComplete(
  db: string,
  root: string,
  files: number,
  nanoDollars: number,
): Promise<CompletionTimes> {
  while (!existsSync(db)) await sleep(POLL_INTERVAL_MS);
  await using index = await openIndex({ db, roots: [root] });
  while ((await index.listAll({ subagents: "yes", limit: 1 })).total < files) await sleep(POLL_INTERVAL_MS);
  const listedAt = Date.now();
  while ((await index.usage()).total.costNanoUsd !== nanoDollars) await sleep(POLL_INTERVAL_MS);
  return { listedAt, costsAt: Date.now() };
}

if (import.meta.main) {
  const [db = "", root = "", files, nanoDollars] = process.argv.slice(2);
  process.send?.("ready");
  process.send?.(await waitUntilComplete(db, root, Number(files), Number(nanoDollars)));
  process.disconnect();
}
