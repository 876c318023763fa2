/** Lists all sessions of `PI_CODING_AGENT_DIR` once with the published pi, and prints the time. */
export interface PeerList {
  sessions: number;
  /** Time of the call, without starting Node and loading pi's module. */
  ms: number;
  peakRssBytes: number;
}

const { SessionManager } = await import(process.argv[2] ?? "");
const startedAt = performance.now();
const { length } = await SessionManager.listAll();
const result: PeerList = {
  sessions: length,
  ms: performance.now() - startedAt,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(result));
