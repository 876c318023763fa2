import { setImmediate } from "node:timers/promises";
import { discover } from "../indexer/discover.ts";
import { type FileSummary, summarizeFile } from "../indexer/summarize-file.ts";
import type { SessionInfo } from "../query/answers.ts";
import type { Root } from "../src/session/locations.ts";
import { toSummarizedSession } from "./summarized-session.ts";

/** Larger files are left out: reading one takes as long as reading dozens of others. */
const MAX_FILE_BYTES = 8_000_000n;
/** Files read after this time are left out, in milliseconds. */
const MAX_TIME_MS = 500;

/** The sessions in the most recently changed files, read from the files: for lists while the first index is built. */
export async function readNewestFiles(
  roots: readonly Root[],
  count: number,
  signal?: AbortSignal,
): Promise<SessionInfo[]> {
  const { files } = await discover(roots, signal);
  const newest = files
    .filter(({ stat, failure }) => !failure && stat.size <= MAX_FILE_BYTES)
    .sort((a, b) => Number(b.stat.mtimeNs - a.stat.mtimeNs))
    .slice(0, count);
  const endsAt = performance.now() + MAX_TIME_MS;
  const sessions: SessionInfo[] = [];
  for (const file of newest) {
    const read: FileSummary | undefined = await summarizeFile(file.path, signal).catch(() => undefined);
    signal?.throwIfAborted();
    if (read) sessions.push(toSummarizedSession(file, read));
    if (performance.now() > endsAt) break;
    await setImmediate();
  }
  return sessions;
}
