import { getOrInsert } from "../src/get-or-insert.ts";
import { SUM_INDEX, type Sums, zeroSums } from "../src/store/schema.ts";
import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";

/**
 * What sessions cost by themselves, by the store's id of their file, in nano-dollars: the events that they own, without their subagents.
 * Sessions without usage are missing.
 *
 * @param files the sessions to read; undefined for all
 */
export async function readSessionCosts(
  store: Store,
  files?: readonly number[],
): Promise<Map<number, number>> {
  const usage = await store.usage();
  const sums = new Map<number, Sums>();
  await usage.sum({
    files: files && new Set(files),
    subagents: new Set(await usage.subagentFiles()),
    isByFile: true,
    isBySeries: false,
    target: (file) => {
      const target = () => getOrInsert(sums, file, zeroSums);
      return () => target;
    },
  });
  return new Map([...sums].map(([file, ofFile]) => [file, ofFile[SUM_INDEX.cost] as number]));
}

/** Sets `costUsd` of sessions. @param sessions by the store's id of their file */
export async function addCosts(store: Store, sessions: ReadonlyMap<number, SessionInfo>): Promise<void> {
  const costs = await readSessionCosts(store, [...sessions.keys()]);
  for (const [file, session] of sessions) session.costUsd = (costs.get(file) ?? 0) / NANO_DOLLARS;
}

const NANO_DOLLARS = 1e9;
