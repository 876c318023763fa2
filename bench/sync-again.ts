import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { allFiles, type BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare } from "./comparison.ts";
import { countedWork } from "./counted-work.ts";
import type { SyncCost } from "./sync-once.ts";

/** Syncs an up-to-date database again, each time in a fresh process, in turns with `find` over the same files. */
export function measureNothingNew(root: BenchRoot, db: string, rounds: number): Comparison[] {
  const { path } = root;
  const costs: SyncCost[] = [];
  const finds: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    finds.push(...findMs(path));
    costs.push(runChild<SyncCost>("sync-once.ts", db, path));
  }
  const what = "sync, nothing new";
  return [...timeRows(what, costs, finds), ...countedWork(what, costs, allFiles(root), allFiles(root))];
}

/**
 * Appends a line to a session and syncs, every round. The session is a copy in a second root, so that the
 * generated root stays as it is; both roots are synced.
 */
export function measureOneLine(root: BenchRoot, db: string, scratch: string, rounds: number): Comparison[] {
  const { copy, entryId } = copySession(root, scratch);
  const second = dirname(dirname(copy));
  runChild<SyncCost>("sync-once.ts", db, root.path, second);
  const costs: SyncCost[] = [];
  const finds: number[] = [];
  const lineBytes: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    lineBytes.push(appendLine(copy, entryId, round));
    finds.push(...findMs(root.path, second));
    costs.push(runChild<SyncCost>("sync-once.ts", db, root.path, second));
  }
  const what = "sync, one line appended";
  const line = { name: "the line", bytes: lineBytes, lines: [1] };
  return [...timeRows(what, costs, finds), ...countedWork(what, costs, line, allFiles(root))];
}

function timeRows(what: string, costs: readonly SyncCost[], finds: readonly number[]): Comparison[] {
  if (finds.length === 0) return [];
  return [
    compare({
      what: `${what}: time`,
      unit: "ms",
      measured: costs.map(({ ms }) => ms),
      against: "find",
      base: finds,
      times: "as long",
    }),
  ];
}

/** How long `find` takes to look at every session file; nothing where there is no GNU find. */
function findMs(...roots: string[]): number[] {
  const began = performance.now();
  const args = [...roots, "-name", "*.jsonl", "-printf", "%p %s %T@ %i\\n"];
  const { status } = spawnSync("find", args, { stdio: "ignore" });
  return status === 0 ? [performance.now() - began] : [];
}

/** Copies the smallest session with a needle: such a session is neither old nor a fork. */
function copySession({ path, manifest }: BenchRoot, scratch: string): { copy: string; entryId: string } {
  const size = (needle: { path: string }) => statSync(join(path, needle.path)).size;
  const [needle] = manifest.needles.toSorted((a, b) => size(a) - size(b));
  if (!needle) throw new Error(`No needles in ${path}`);
  const folder = join(scratch, "second-root", dirname(needle.path));
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, basename(needle.path));
  copyFileSync(join(path, needle.path), copy);
  return { copy, entryId: needle.entryId };
}

/** Appends a user's message as pi would, and returns how many bytes it has. */
function appendLine(path: string, parentId: string, round: number): number {
  const timestamp = Date.now();
  const entry = {
    type: "message",
    id: round.toString(16).padStart(8, "0"),
    parentId,
    timestamp: new Date(timestamp).toISOString(),
    message: { role: "user", content: [{ type: "text", text: "And one line more." }], timestamp },
  };
  const line = `${JSON.stringify(entry)}\n`;
  appendFileSync(path, line);
  return Buffer.byteLength(line);
}
