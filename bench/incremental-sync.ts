import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { allFiles, type BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { countedWork } from "./counted-work.ts";
import { IndexProcess } from "./index-process.ts";
import type { Synced } from "./processes/open-index.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const NOTHING_NEW: Goal = { of: "ratio", atMost: 1 };
const ONE_LINE: Goal = { of: "measured", atMost: 5 };

/**
 * B. Syncs an index of many small sessions that is up to date, or up to date except for one line. The line is appended to a
 * copy in a second root, so that the generated root does not change; both roots are synced, and scanned by `find`.
 */
export async function syncsAgain(bench: Workspace): Promise<Comparison[]> {
  const root = bench.root("small", bench.sizes.small);
  const { copy, entryId } = copySession(root, bench);
  const roots = [root.path, dirname(dirname(copy))];
  settle(copy);
  const db = bench.index(root);
  runChild<SyncCost>("sync-once.ts", db, ...roots);
  if (findMs(roots).length === 0)
    bench.notes.add("There is no GNU find here: what is held against it is left out.");

  const index = new IndexProcess(db, roots);
  try {
    const rows = await nothingNew(bench, root, roots, index);
    rows.push(...freshProcesses(bench, root, roots, db));
    rows.push(...(await oneLine(bench, root, index, { copy, entryId })));
    return [...rows, peakRow(root, await index.peakBytes())];
  } finally {
    index.end();
  }
}

async function nothingNew(
  bench: Workspace,
  root: BenchRoot,
  roots: readonly string[],
  index: IndexProcess,
): Promise<Comparison[]> {
  const syncs: Synced[] = [];
  const finds: number[] = [];
  for (let n = 0; n < bench.turns; n++) await index.sync(); // warm-up
  await bench.inRounds("sync with nothing new, in turns with find", async () => {
    for (let turn = 0; turn < bench.turns; turn++) {
      finds.push(...findMs(roots));
      syncs.push(await index.sync());
    }
  });
  const what = `sync of ${root.title}, nothing new`;
  const ms = syncs.map(({ ms }) => ms);
  return [
    ...againstFind(`${what}: an open index`, ms, finds, NOTHING_NEW),
    ...countedWork(what, syncs, allFiles(root), allFiles(root)),
  ];
}

/** Time from opening the database to the end of closing it. */
function freshProcesses(
  bench: Workspace,
  root: BenchRoot,
  roots: readonly string[],
  db: string,
): Comparison[] {
  const costs: SyncCost[] = [];
  const finds: number[] = [];
  bench.say("sync with nothing new, each in a fresh process");
  for (let round = 0; round < bench.rounds; round++) {
    finds.push(...findMs(roots));
    costs.push(runChild<SyncCost>("sync-once.ts", db, ...roots));
  }
  const what = `sync of ${root.title}, nothing new: a fresh process`;
  return againstFind(
    what,
    costs.map(({ ms }) => ms),
    finds,
    NOTHING_NEW,
  );
}

async function oneLine(
  bench: Workspace,
  root: BenchRoot,
  index: IndexProcess,
  { copy, entryId }: { copy: string; entryId: string },
): Promise<Comparison[]> {
  const none: Synced[] = [];
  const syncs: Synced[] = [];
  const lineBytes: number[] = [];
  await bench.inRounds("sync with one line appended, in turns with nothing new", async (round) => {
    for (let turn = 0; turn < bench.turns; turn++) {
      settle(copy);
      await index.sync();
      none.push(await index.sync());
      lineBytes.push(appendLine(copy, entryId, round * bench.turns + turn));
      syncs.push(await index.sync());
    }
  });
  const what = `sync of ${root.title}, one line appended`;
  const line = { name: "the line", bytes: lineBytes, lines: [1] };
  return [
    added(`${what}: what it adds`, syncs, none, ({ ms }) => ms, ONE_LINE),
    added(`${what}: processor time it adds`, syncs, none, ({ cpuMs }) => cpuMs),
    ...countedWork(what, syncs, line, allFiles(root)),
  ];
}

/** How much longer syncs took than preceding ones that found nothing new. */
function added(
  what: string,
  syncs: readonly Synced[],
  none: readonly Synced[],
  value: (sync: Synced) => number,
  goal?: Goal,
): Comparison {
  const base = none.map(value);
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

function againstFind(
  what: string,
  measured: readonly number[],
  base: readonly number[],
  goal: Goal,
): Comparison[] {
  if (base.length === 0) return [];
  return [compare({ what, unit: "ms", measured, against: "find", base, times: "as long", goal })];
}

/** Milliseconds that `find` takes to check every session file; undefined without GNU find. */
export function findMs(roots: readonly string[]): number[] {
  const began = performance.now();
  const args = [...roots, "-name", "*.jsonl", "-printf", "%s %T@ %i\\n"];
  const { status } = spawnSync("find", args, { stdio: "ignore" });
  return status === 0 ? [performance.now() - began] : [];
}

/** Copies the smallest session with a needle: it has the current version and is not a fork. */
function copySession({ path, manifest }: BenchRoot, bench: Workspace): { copy: string; entryId: string } {
  const size = (needle: { path: string }) => statSync(join(path, needle.path)).size;
  const [needle] = manifest.needles.toSorted((a, b) => size(a) - size(b));
  if (!needle) throw new Error(`No needles in ${path}`);
  const folder = bench.scratch("second-root", dirname(needle.path));
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, basename(needle.path));
  copyFileSync(join(path, needle.path), copy);
  return { copy, entryId: needle.entryId };
}

/** Makes a file look old: a file written just now could change again within the resolution of its timestamps. */
function settle(path: string): void {
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
