import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type BenchRoot, totalSize } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { workRows } from "./counted-work.ts";
import { IndexProcess } from "./index-process.ts";
import type { SyncResult } from "./processes/open-index.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const NOTHING_NEW_GOAL: Goal = { of: "ratio", atMost: 1 };
const ONE_LINE_GOAL: Goal = { of: "measured", atMost: 5 };

/**
 * B. Syncs an index of many small sessions that is up to date, or up to date except for one line. The line is appended to a
 * copy in a second root, so that the generated root does not change. Both sync and `find` scan both roots.
 */
export async function measureIncrementalSync(bench: Workspace): Promise<Comparison[]> {
  const root = bench.root("small", bench.sizes.small);
  const { copy, entryId } = copySession(root, bench);
  const roots = [root.path, dirname(dirname(copy))];
  makeOld(copy);
  const db = bench.index(root);
  runChild<SyncCost>("sync-once.ts", db, ...roots);
  if (timeFind(roots).length === 0)
    bench.notes.add("Comparisons with find were skipped: GNU find is not installed.");

  const index = new IndexProcess(db, roots);
  try {
    const rows = await measureNothingNew(bench, root, roots, index);
    rows.push(...measureFreshProcesses(bench, root, roots, db));
    rows.push(...(await measureOneLine(bench, root, index, { copy, entryId })));
    return [...rows, peakRow(root, await index.peakBytes())];
  } finally {
    index.end();
  }
}

async function measureNothingNew(
  bench: Workspace,
  root: BenchRoot,
  roots: readonly string[],
  index: IndexProcess,
): Promise<Comparison[]> {
  const syncs: SyncResult[] = [];
  const finds: number[] = [];
  for (let n = 0; n < bench.turns; n++) await index.sync(); // warm-up
  await bench.runRounds("sync with nothing new, alternating with find", async () => {
    for (let turn = 0; turn < bench.turns; turn++) {
      finds.push(...timeFind(roots));
      syncs.push(await index.sync());
    }
  });
  const what = `sync of ${root.title}, nothing new`;
  const ms = syncs.map(({ ms }) => ms);
  return [
    ...compareWithFind(`${what}: an open index`, ms, finds, NOTHING_NEW_GOAL),
    ...workRows(what, syncs, totalSize(root), totalSize(root)),
  ];
}

/** Measures the time from opening the database to closing it. */
function measureFreshProcesses(
  bench: Workspace,
  root: BenchRoot,
  roots: readonly string[],
  db: string,
): Comparison[] {
  const costs: SyncCost[] = [];
  const finds: number[] = [];
  bench.logProgress("sync with nothing new, each in a fresh process");
  for (let round = 0; round < bench.rounds; round++) {
    finds.push(...timeFind(roots));
    costs.push(runChild<SyncCost>("sync-once.ts", db, ...roots));
  }
  const what = `sync of ${root.title}, nothing new: a fresh process`;
  return compareWithFind(
    what,
    costs.map(({ ms }) => ms),
    finds,
    NOTHING_NEW_GOAL,
  );
}

async function measureOneLine(
  bench: Workspace,
  root: BenchRoot,
  index: IndexProcess,
  { copy, entryId }: { copy: string; entryId: string },
): Promise<Comparison[]> {
  const syncsBefore: SyncResult[] = [];
  const syncs: SyncResult[] = [];
  const lineBytes: number[] = [];
  await bench.runRounds("sync with one line appended, alternating with nothing new", async (round) => {
    for (let turn = 0; turn < bench.turns; turn++) {
      makeOld(copy);
      await index.sync();
      syncsBefore.push(await index.sync());
      lineBytes.push(appendLine(copy, entryId, round * bench.turns + turn));
      syncs.push(await index.sync());
    }
  });
  const what = `sync of ${root.title}, one line appended`;
  const line = { name: "the line", bytes: lineBytes, lines: [1] };
  return [
    addedTimeRow(`${what}: what it adds`, syncs, syncsBefore, ({ ms }) => ms, ONE_LINE_GOAL),
    addedTimeRow(`${what}: processor time it adds`, syncs, syncsBefore, ({ cpuMs }) => cpuMs),
    ...workRows(what, syncs, line, totalSize(root)),
  ];
}

/** How much longer syncs took than the ones before, which found nothing new. */
function addedTimeRow(
  what: string,
  syncs: readonly SyncResult[],
  syncsBefore: readonly SyncResult[],
  value: (sync: SyncResult) => number,
  goal?: Goal,
): Comparison {
  const base = syncsBefore.map(value);
  const measured = syncs.map((sync, n) => value(sync) - (base[n] ?? Number.NaN));
  return compare({ what, unit: "ms", measured, against: "nothing new", base, times: "as long", goal });
}

function peakRow(root: BenchRoot, bytes: number): Comparison {
  return compare({
    what: `syncs of ${root.title}: peak memory`,
    unit: "bytes",
    measured: [bytes],
    against: "all files",
    base: [root.manifest.bytes],
    times: "as much",
  });
}

function compareWithFind(
  what: string,
  measured: readonly number[],
  base: readonly number[],
  goal: Goal,
): Comparison[] {
  if (base.length === 0) return [];
  return [compare({ what, unit: "ms", measured, against: "find", base, times: "as long", goal })];
}

/** Milliseconds that `find` takes to check every session file; empty without GNU find. */
function timeFind(roots: readonly string[]): number[] {
  const startedAt = performance.now();
  const args = [...roots, "-name", "*.jsonl", "-printf", "%s %T@ %i\\n"];
  const { status } = spawnSync("find", args, { stdio: "ignore" });
  return status === 0 ? [performance.now() - startedAt] : [];
}

/** Copies the smallest session with a needle: it has the current version and is not a fork. */
function copySession({ path, manifest }: BenchRoot, bench: Workspace): { copy: string; entryId: string } {
  const size = (needle: { path: string }) => statSync(join(path, needle.path)).size;
  const [needle] = manifest.needles.toSorted((a, b) => size(a) - size(b));
  if (!needle) throw new Error(`No needles in ${path}`);
  const folder = bench.scratchPath("second-root", dirname(needle.path));
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, basename(needle.path));
  copyFileSync(join(path, needle.path), copy);
  return { copy, entryId: needle.entryId };
}

/** Makes a file look old: one written just now could change again within the resolution of its mtime. */
function makeOld(path: string): void {
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(path, anHourAgo, anHourAgo);
}

/** Appends a user's message as pi would, and returns its length in bytes. */
function appendLine(path: string, parentId: string, n: number): number {
  const timestamp = Date.now();
  const entry = {
    type: "message",
    id: n.toString(16).padStart(8, "0"),
    parentId,
    timestamp: new Date(timestamp).toISOString(),
    message: { role: "user", content: [{ type: "text", text: "And one line more." }], timestamp },
  };
  const line = `${JSON.stringify(entry)}\n`;
  appendFileSync(path, line);
  return Buffer.byteLength(line);
}
