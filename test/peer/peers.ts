/**
 * The published versions of pi that `npm run peer` installs beside this file: the oldest that pidex supports, one under its new
 * name, and the current one.
 *
 * pi 0.73.1 is complete. The newer two are pi's own package with its bundled dependencies, and the packages that the tests need
 * besides: package.json replaces the others by an empty package, which keeps the download small.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const PEER_VERSIONS = ["0.73.1", "0.87.1", "1.5.2"] as const;
export type PeerVersion = (typeof PEER_VERSIONS)[number];

const PACKAGES = join(import.meta.dirname, "node_modules");

const FOLDERS: Record<PeerVersion, string> = {
  "0.73.1": join(PACKAGES, "@mariozechner/pi-coding-agent"),
  "0.87.1": join(PACKAGES, "pi-0.87.1"),
  "1.5.2": join(PACKAGES, "pi-1.5.2"),
};

/** The module that loads `session-manager.js` of pi 1.5.2; also an argument of `node --import`. */
export const peerHooks = pathToFileURL(join(import.meta.dirname, "hooks.mjs")).href;

/** Whether all of them are installed. Tests that need them are skipped otherwise. */
export const hasPeers = PEER_VERSIONS.every((version) => existsSync(join(FOLDERS[version], "package.json")));

/** Reports before a run which tests are skipped. @throws in CI, where none may be skipped */
export function reportMissingPeers(): void {
  if (hasPeers) return;
  const message = "pi is not installed: the tests that compare pidex with it are SKIPPED. Run: npm run peer";
  if (process.env.CI) throw new Error(message);
  console.error(`\n  !! ${message}\n`);
}

/** The `pi` program. */
export function peerProgram(version: PeerVersion): string {
  return join(FOLDERS[version], version === "0.73.1" ? "dist/cli.js" : "dist/bundle/cli.js");
}

/** The URL of the module with pi's SessionManager, because loading all of pi takes seconds. That of 1.5.2 needs `peerHooks`. */
export function peerSessionManager(version: "0.73.1" | "1.5.2"): string {
  return pathToFileURL(join(FOLDERS[version], "dist/core/session-manager.js")).href;
}
