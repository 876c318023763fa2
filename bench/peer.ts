import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BenchRoot } from "./bench-root.ts";
import type { Workspace } from "./workspace.ts";

/** The smallest module of the published pi that exports its SessionManager: loading all of pi takes seconds. */
const MODULE = "node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js";

export const PEER = "pi 0.73.1";

/** The URL of the module with pi's SessionManager; undefined unless `npm run peer` has installed it. */
export function findPeerModule({ notes }: Workspace): string | undefined {
  const path = join(import.meta.dirname, "../test/peer", MODULE);
  if (existsSync(path)) return pathToFileURL(path).href;
  notes.add(`Comparisons with ${PEER} were skipped: install it with npm run peer.`);
  return undefined;
}

/** Creates an agent folder for pi with a link to a root as its sessions. */
export function linkAgentFolder(bench: Workspace, root: BenchRoot): { agentDir: string; linked: BenchRoot } {
  const agentDir = bench.scratchPath("agents", basename(root.path));
  const sessions = join(agentDir, "sessions");
  if (!existsSync(sessions)) {
    mkdirSync(agentDir);
    symlinkSync(root.path, sessions, "junction");
  }
  return { agentDir, linked: { ...root, path: sessions } };
}
