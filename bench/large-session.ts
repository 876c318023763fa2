import { copyFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BenchRoot } from "./bench-root.ts";
import { runChild, timeChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { longTree } from "./long-tree.ts";
import { PEER, peerModule } from "./peer.ts";
import type { OneSession } from "./processes/one-session.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const OURS = pathToFileURL(join(import.meta.dirname, "../library/index.ts")).href;

const NO_SLOWER: Goal = { of: "ratio", atMost: 1 };
/** O(1): equal within the precision of measurements this short. */
const THE_SAME: Goal = { of: "ratio", atMost: 2 };

/** Appends to a large session are compared with appends to one of this size. */
const SHORT = "1MB";

/** E. Opens one large session, builds its context and appends to it, alternating with the published pi; and large trees. */
export async function sessions(bench: Workspace): Promise<Comparison[]> {
  const module = peerModule(bench);
  const giant = bench.root("giant", bench.sizes.giant);
  const copy = copyOf(bench, giant);
  const short = copyOf(bench, bench.root("giant", SHORT));
  const ours: OneSession[] = [];
  const oursShort: OneSession[] = [];
  const peers: OneSession[] = [];
  const run = (module: string, path: string) =>
    timeChild<OneSession>({}, "processes/one-session.ts", module, path).answer;
  run(OURS, copy); // so that the file is in the system's cache
  await bench.inRounds(`one session of ${giant.title}${module ? `, in turns with ${PEER}` : ""}`, () => {
    ours.push(run(OURS, copy));
    oursShort.push(run(OURS, short));
    if (module) peers.push(run(module, copy));
  });
  return [
    ...(module ? againstPeer(`a session of ${giant.title}`, ours, peers) : []),
    ...againstShort(giant.title, ours, oursShort),
    ...(module ? await trees(bench, module, run) : []),
  ];
}

function againstPeer(what: string, ours: readonly OneSession[], peers: readonly OneSession[]): Comparison[] {
  const row = (name: string, value: (of: OneSession) => number, goal?: Goal): Comparison =>
    compare({
      what: `${what}: ${name}`,
      unit: "ms",
      measured: ours.map(value),
      against: PEER,
      base: peers.map(value),
      times: "as long",
      goal,
    });
  return [
    row("open", ({ openMs }) => openMs, NO_SLOWER),
    row("buildSessionContext", ({ contextMs }) => contextMs),
    row("open and buildSessionContext", ({ openMs, contextMs }) => openMs + contextMs, NO_SLOWER),
    row("the first append", ({ firstAppendMs }) => firstAppendMs),
    row("an append", ({ appendsMs }) => median(appendsMs)),
    row("getTree", ({ treeMs }) => treeMs),
    compare({
      what: `${what}: peak memory`,
      unit: "bytes",
      measured: ours.map(({ peakRssBytes }) => peakRssBytes),
      against: PEER,
      base: peers.map(({ peakRssBytes }) => peakRssBytes),
      times: "as much",
    }),
  ];
}

function againstShort(
  title: string,
  giant: readonly OneSession[],
  short: readonly OneSession[],
): Comparison[] {
  const row = (name: string, value: (of: OneSession) => number): Comparison =>
    compare({
      what: `${name} to a session of ${title}`,
      unit: "ms",
      measured: giant.map(value),
      against: `to one of ${SHORT}`,
      base: short.map(value),
      times: "as long",
      goal: THE_SAME,
    });
  return [
    row("the first append", ({ firstAppendMs }) => firstAppendMs),
    row("an append", ({ appendsMs }) => median(appendsMs)),
  ];
}

/** A session with very many entries: its tree from the index, and from a SessionManager that has to open it first. */
async function trees(
  bench: Workspace,
  module: string,
  run: (module: string, path: string) => OneSession,
): Promise<Comparison[]> {
  const { tree: entries } = bench.sizes;
  bench.say(`a session of ${entries} entries`);
  const path = longTree(bench.folder, entries);
  const copy = bench.scratch("sessions", basename(path));
  copyFileSync(path, copy);
  const root = dirname(dirname(path));
  const db = bench.scratch("indexes", "tree.db");
  runChild<SyncCost>("sync-once.ts", db, root);
  const index = new IndexProcess(db, [root]);
  try {
    const fromIndex: number[] = [];
    const ours: OneSession[] = [];
    const peers: OneSession[] = [];
    await index.tree(path); // warm-up
    await bench.inRounds(`trees of ${entries} entries, in turns with ${PEER}`, async () => {
      fromIndex.push(await index.tree(path));
      ours.push(run(OURS, copy));
      peers.push(run(module, copy));
    });
    const what = `a tree of ${entries.toLocaleString("en")} entries`;
    const against = { unit: "ms", times: "as long" } as const;
    return [
      compare({
        ...against,
        what: `${what}: an open index`,
        measured: fromIndex,
        against: `${PEER}, open and getTree`,
        base: peers.map(({ openMs, treeMs }) => openMs + treeMs),
      }),
      compare({
        ...against,
        what: `${what}: getTree of an open session`,
        measured: ours.map(({ treeMs }) => treeMs),
        against: PEER,
        base: peers.map(({ treeMs }) => treeMs),
      }),
    ];
  } finally {
    index.end();
  }
}

/** A writable copy of the only session of a root. */
function copyOf(bench: Workspace, root: BenchRoot): string {
  const names = readdirSync(root.path, { recursive: true, encoding: "utf8" });
  const name = names.find((each) => each.endsWith(".jsonl"));
  if (!name) throw new Error(`No session in ${root.path}`);
  const path = join(root.path, name);
  const copy = bench.scratch("sessions", root.title, basename(path));
  copyFileSync(path, copy);
  if (statSync(copy).size !== root.manifest.bytes)
    throw new Error(`Not as it was written, delete it: ${path}`);
  return copy;
}
