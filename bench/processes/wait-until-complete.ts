/**
 * A process that asks an index which another process is making, again and again, until it lists all sessions and tells
 * all that was spent; then it says when each was so. It syncs nothing.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openIndex } from "../../library/index.ts";

export interface Known {
  /** Unix milliseconds. */
  listedAt: number;
  costsAt: number;
}

/** Rarely enough to take little of what the other process works with. */
const PAUSE_MS = 100;

export async function untilKnown(
  db: string,
  root: string,
  files: number,
  nanoDollars: number,
): Promise<Known> {
  while (!existsSync(db)) await sleep(PAUSE_MS);
  await using index = await openIndex({ db, roots: [root] });
  while ((await index.listAll({ subagents: "yes", limit: 1 })).total < files) await sleep(PAUSE_MS);
  const listedAt = Date.now();
  while ((await index.usage()).total.costNanoUsd !== nanoDollars) await sleep(PAUSE_MS);
  return { listedAt, costsAt: Date.now() };
}

if (import.meta.main) {
  const [db = "", root = "", files, nanoDollars] = process.argv.slice(2);
  process.send?.("ready");
  process.send?.(await untilKnown(db, root, Number(files), Number(nanoDollars)));
  process.disconnect();
}
