/**
 * Polls an index that another process is building until it lists all sessions and reports their total cost, then reports when
 * each was first the case. Doesn't sync.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openIndex } from "../../library/index.ts";

/** In Unix milliseconds. */
export interface CompletionTimes {
  /** When sessions were first listed: the newest ones. */
  newestAt: number;
  listedAt: number;
  costsAt: number;
  /** Milliseconds of the lists and searches until then. */
  answerMs: number[];
}

/** Long enough to take little processor time from the other process. */
const POLL_INTERVAL_MS = 100;
/** A search takes several times as long as a list. */
const POLLS_PER_SEARCH = 10;

export async function waitUntilComplete(
  db: string,
  root: string,
  files: number,
  nanoDollars: number,
  word: string,
): Promise<CompletionTimes> {
  while (!existsSync(db)) await sleep(POLL_INTERVAL_MS);
  await using index = await openIndex({ db, roots: [root] });
  let newestAt = 0;
  const answerMs: number[] = [];
  const search = async () => {
    const startedAt = performance.now();
    const { sessions } = await index.search(word, { sync: false });
    answerMs.push(performance.now() - startedAt);
    if (newestAt === 0 && sessions.length > 0) newestAt = Date.now();
  };
  const list = async () => {
    const startedAt = performance.now();
    const { total } = await index.listAll({ subagents: "yes", limit: 50 });
    answerMs.push(performance.now() - startedAt);
    return total;
  };
  for (let poll = 0; ; poll++) {
    const total = await list();
    if (total >= files) break;
    if (total > 0 && (newestAt === 0 || poll % POLLS_PER_SEARCH === 0)) await search();
    await sleep(POLL_INTERVAL_MS);
  }
  const listedAt = Date.now();
  while (newestAt === 0) await search();
  while ((await index.usage()).total.costNanoUsd !== nanoDollars) await sleep(POLL_INTERVAL_MS);
  return { newestAt, listedAt, costsAt: Date.now(), answerMs };
}

if (import.meta.main) {
  const [db = "", root = "", files, nanoDollars, word = ""] = process.argv.slice(2);
  process.send?.("ready");
  process.send?.(await waitUntilComplete(db, root, Number(files), Number(nanoDollars), word));
  process.disconnect();
}
