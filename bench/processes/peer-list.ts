/** The published pi lists all sessions of `PI_CODING_AGENT_DIR`, once, in a process of its own. */
export interface PeerList {
  sessions: number;
  /** The call alone: starting Node and loading pi's module is not in it. */
  ms: number;
  peakRssBytes: number;
}

const { SessionManager } = await import(process.argv[2] ?? "");
const began = performance.now();
const { length } = await SessionManager.listAll();
const answer: PeerList = {
  sessions: length,
  ms: performance.now() - began,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(answer));
