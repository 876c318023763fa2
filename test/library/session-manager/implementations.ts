/**
 * The SessionManagers that the tests in this folder compare: pidex's, and those of two published versions of pi, which
 * `npm run peer` installs in test/peer.
 */
import * as pidex from "../../../library/index.ts";
import { hasPeers, peerHooks, peerSessionManager } from "../../peer/peers.ts";

export type Compared = "pi 0.73.1" | "pi 1.5.2" | "pidex";

/** The common API, with pidex's types. pi has fewer methods and parameters: see differences.ts. */
export type Implementation = Omit<typeof pidex, "default"> & {
  name: Compared;
  /** The URL of the module, for another process. pidex has none. */
  module?: string;
};

if (hasPeers) await import(peerHooks);

async function pi(version: "0.73.1" | "1.5.2"): Promise<Implementation> {
  const module = peerSessionManager(version);
  return { ...((await import(module)) as typeof pidex), name: `pi ${version}`, module };
}

/** Empty if pi is not installed; only pidex is tested then. */
export const peers: readonly Implementation[] = hasPeers ? [await pi("0.73.1"), await pi("1.5.2")] : [];
export const ours: Implementation = { ...pidex, name: "pidex" };
export const implementations: readonly Implementation[] = [...peers, ours];
