import { basename, dirname, join } from "node:path";
import type { SubagentRun } from "./subagent-results.ts";

/**
 * The paths under which the session of a subagent's run may lie: those it was told by, and the same places beside the
 * session that tells of it. Whole trees of sessions are moved and copied, to another home for example, and the paths
 * in them are not.
 */
export function runPaths({ sessionFile, artifact }: SubagentRun, tellerPath: string): string[] {
  // SQLite has no half characters: without them two paths may be one.
  const told = [sessionFile, artifact].filter((path) => path !== null).map((path) => path.toWellFormed());
  const folder = dirname(tellerPath);
  // pi's subagents lie in `<project>/subagent-artifacts/`, or in `<project>/<session>/`.
  const below = ["subagent-artifacts", basename(tellerPath, ".jsonl")];
  // What a subagent itself calls lies among its like, or below it.
  const above = basename(folder) === "subagent-artifacts" ? [folder, dirname(folder)] : [folder];
  const beside = told.flatMap((path) => {
    const parts = path.split(/[/\\]/);
    const start = parts.findLastIndex((part, n) => n < parts.length - 1 && below.includes(part));
    return start < 0 ? [] : above.map((anchor) => join(anchor, ...parts.slice(start)));
  });
  return [...new Set([...told, ...beside])];
}
