import { statSync } from "node:fs";
import type { NamedCount } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { Stats } from "./answers.ts";
import { toIsoTime } from "./iso-time.ts";

/** Maximum number of models and projects listed. */
const MAX_LISTED = 1000;

/** The totals of any index, whether it is a file of this computer or not. */
export type IndexTotals = Omit<Stats, "databasePath" | "databaseBytes">;

/** What the sums of usage count: see `usage`. */
type Counted = "tokens" | "costUsd" | "toolCalls" | "failedToolCalls";

/** Counts the contents of the index, without usage. It reads no rows of entries, of which there may be millions. */
export async function countIndex(store: Store): Promise<Omit<IndexTotals, Counted>> {
  const counts = await (await store.entries()).countAll(MAX_LISTED);
  const { oldest, newest, files, bytes, sessions, entries, messages, models, projects, problems } = counts;
  return {
    ...{ files, bytes, sessions, entries, messages, models, projects, problems },
    indexedBytes: counts.indexed_bytes,
    subagentSessions: counts.subagent_sessions,
    oldest: toIsoTime(oldest),
    newest: toIsoTime(newest),
  };
}

/** The database file, and its size with the write-ahead log in bytes. */
export function measureDatabase(path: string): Pick<Stats, "databasePath" | "databaseBytes"> {
  return { databasePath: path, databaseBytes: fileSize(path) };
}

/** Adds up counts with the same name, greatest first. */
export function sumByName(counts: readonly NamedCount[]): NamedCount[] {
  const sums = new Map<string, number>();
  for (const { name, count } of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

function fileSize(path: string): number {
  return ["", "-wal"].reduce(
    (sum, side) => sum + (statSync(path + side, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
