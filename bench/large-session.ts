import { copyFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BenchRoot } from "./bench-root.ts";
import { runChild, timeChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { prepareLongTree } from "./long-tree.ts";
import { findPeerModule, PEER } from "./peer.ts";
import type { SessionTimes } from "./processes/one-session.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const PIDEX_MODULE = pathToFileURL(join(import.meta.dirname, "../library/index.ts")).href;

const NOT_SLOWER: Goal = { of: "ratio", atMost: 1 };
/** Equal within the precision of measurements this short. */
const INDEPENDENT_OF_SIZE: Goal = { of: "ratio", atMost: 2 };

/** Appends to a large session are compared with appends to one of this size. */
const SMALL_SIZE = "1MB";

/** E. Opens one large session, builds its context and appends to it, alternating with the published pi. Also builds large trees. */
export async function measureLargeSession(bench: Workspace): Promise<Comparison[]> {
  const peer = findPeerModule(bench);
  const giant = bench.root("giant", bench.sizes.giant);
  const large = copySession(bench, giant);
  const small = copySession(bench, bench.root("giant", SMALL_SIZE));
  const largeTimes: SessionTimes[] = [];
  const smallTimes: SessionTimes[] = [];
  const peerTimes: SessionTimes[] = [];
  const run = (module: string, path: string) =>
    timeChild<SessionTimes>({}, "processes/one-session.ts", module, path).result;
  run(PIDEX_MODULE, large); // so that the file is in the system's cache
  await bench.runRounds(`one session of ${giant.title}${peer ? `, alternating with ${PEER}` : ""}`, () => {
    largeTimes.push(run(PIDEX_MODULE, large));
    smallTimes.push(run(PIDEX_MODULE, small));
    if (peer) peerTimes.push(run(peer, large));
  });
  return [
    ...(peer ? compareWithPeer(`a session of ${giant.title}`, largeTimes, peerTimes) : []),
    ...compareSizes(giant.title, largeTimes, smallTimes),
    ...(peer ? await measureTrees(bench, peer, run) : []),
  ];
}

function compareWithPeer(
  what: string,
  ours: readonly SessionTimes[],
  peers: readonly SessionTimes[],
): Comparison[] {
  const row = (name: string, value: (times: SessionTimes) => number, goal?: Goal): Comparison =>
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
    row("open", ({ openMs }) => openMs, NOT_SLOWER),
    row("buildSessionContext", ({ contextMs }) => contextMs),
    row("open and buildSessionContext", ({ openMs, contextMs }) => openMs + contextMs, NOT_SLOWER),
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

function compareSizes(
  title: string,
  large: readonly SessionTimes[],
  small: readonly SessionTimes[],
): Comparison[] {
  const row = (name: string, value: (times: SessionTimes) => number): Comparison =>
    compare({
      what: `${name} to a session of ${title}`,
      unit: "ms",
      measured: large.map(value),
      against: `to one of ${SMALL_SIZE}`,
      base: small.map(value),
      times: "as long",
      goal: INDEPENDENT_OF_SIZE,
    });
  return [
    row("the first append", ({ firstAppendMs }) => firstAppendMs),
    row("an append", ({ appendsMs }) => median(appendsMs)),
  ];
}

/** Builds the tree of a session with very many entries from the index, and with a SessionManager, which opens it first. */
async function measureTrees(
  bench: Workspace,
  peer: string,
  run: (module: string, path: string) => SessionTimes,
): Promise<Comparison[]> {
  const { tree: entries } = bench.sizes;
  bench.logProgress(`a session of ${entries} entries`);
  const path = prepareLongTree(bench.folder, entries);
  const copy = bench.scratchPath("sessions", basename(path));
  copyFileSync(path, copy);
  const root = dirname(dirname(path));
  const db = bench.scratchPath("indexes", "tree.db");
  runChild<SyncCost>("sync-once.ts", db, root);
  const index = new IndexProcess(db, [root]);
  try {
    const fromIndex: number[] = [];
    const ours: SessionTimes[] = [];
    const peers: SessionTimes[] = [];
    await index.tree(path); // warm-up
    await bench.runRounds(`trees of ${entries} entries, alternating with ${PEER}`, async () => {
      fromIndex.push(await index.tree(path));
      ours.push(run(PIDEX_MODULE, copy));
      peers.push(run(peer, copy));
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

/** Returns the path of a writable copy of the only session of a root. */
function copySession(bench: Workspace, root: BenchRoot): string {
  const names = readdirSync(root.path, { recursive: true, encoding: "utf8" });
  const name = names.find((candidate) => candidate.endsWith(".jsonl"));
  if (!name) throw new Error(`No session in ${root.path}`);
  const path = join(root.path, name);
  const copy = bench.scratchPath("sessions", root.title, basename(path));
  copyFileSync(path, copy);
  if (statSync(copy).size !== root.manifest.bytes)
    throw new Error(`Changed since it was generated; delete it: ${path}`);
  return copy;
}
