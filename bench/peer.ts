import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BenchRoot } from "./bench-root.ts";
import type { Workspace } from "./workspace.ts";

/** The innermost module of the published pi that exports its SessionManager: all of pi takes seconds to load. */
const MODULE = "node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js";

export const PEER = "pi 0.73.1";

/** The URL of the module with pi's SessionManager, as installed by `npm run peer`. */
export function peerModule({ notes }: Workspace): string | undefined {
  const path = join(import.meta.dirname, "../test/peer", MODULE);
  if (existsSync(path)) return pathToFileURL(path).href;
  notes.add(`${PEER} is not there to compare with: npm run peer`);
  return undefined;
}

/** A folder for pi with the sessions of a root, through a link so that nothing is copied. */
export function agentFolder(bench: Workspace, root: BenchRoot): { agentDir: string; linked: BenchRoot } {
  const agentDir = bench.scratch("agents", basename(root.path));
  const sessions = join(agentDir, "sessions");
  if (!existsSync(sessions)) {
    mkdirSync(agentDir);
    symlinkSync(root.path, sessions, "junction");
  }
  return { agentDir, linked: { ...root, path: sessions } };
}
