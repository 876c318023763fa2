import type { Index, ScanOptions, SessionInfo } from "../../../library/index.ts";
import { type ScanEvent, scanSessions } from "../../actions/find-sessions.ts";
import { ScanCounts, type ScanCountsAnswer } from "../../actions/scan-counts.ts";
import { sessionQuery } from "../../format/query-terms.ts";

type Reported = ScanEvent | { counts: ScanCountsAnswer };

/** How often a running scan counts what it found so far. */
const COUNTS_INTERVAL_MS = 500;

/**
 * A scan that reports sessions with their costs, as lists and searches do. It counts what was found from time to time, and in
 * its last event.
 */
export async function scanWithCounts(
  index: Pick<Index, "scan" | "find" | "search">,
  regex: string,
  options: ScanOptions & { signal?: AbortSignal },
  report: (event: Reported) => Promise<void> | void,
  countsIntervalMs = COUNTS_INTERVAL_MS,
): Promise<void> {
  const counts = new ScanCounts();
  let hitCount = 0;
  let countedAt = performance.now();
  const source = {
    scan: index.scan.bind(index),
    find: (path: string) => findWithCost(index, path),
  };
  await scanSessions(source, regex, options, async (event) => {
    if ("session" in event) counts.addSession(event.session);
    if ("hit" in event) {
      counts.addHit(event.hit);
      hitCount++;
    }
    await report(event);
    if (!("hit" in event) || performance.now() - countedAt < countsIntervalMs) return;
    countedAt = performance.now();
    await report({ counts: counts.toAnswer(false) });
  });
  await report({ counts: counts.toAnswer(hitCount < (options.limit ?? Number.POSITIVE_INFINITY)) });
}

async function findWithCost(index: Pick<Index, "find" | "search">, path: string): Promise<SessionInfo> {
  const options = { limit: 1, hits: 1, costs: true, models: true, sync: false };
  const { sessions } = await index.search(sessionQuery(path), options);
  return sessions[0]?.session ?? index.find(path);
}
