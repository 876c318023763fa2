import type { BenchRoot } from "./bench-root.ts";
import { timeChild } from "./child.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { IndexProcess } from "./index-process.ts";
import { findPeerModule, linkAgentFolder, PEER } from "./peer.ts";
import type { PeerList } from "./processes/peer-list.ts";
import type { Workspace } from "./workspace.ts";

interface Goals {
  newest?: Goal;
  inProcess: Goal;
  cold?: Goal;
}

const MAIN_GOALS: Goals = { inProcess: { of: "ratio", atLeast: 2000 }, cold: { of: "ratio", atLeast: 150 } };
const SMALL_GOALS: Goals = { newest: { of: "ratio", atLeast: 100 }, inProcess: { of: "ratio", atLeast: 40 } };
const START_GOAL: Goal = { of: "ratio", atMost: 2.2 };

/** C. Lists all sessions, with an open index and in new processes, alternating with the published pi. */
export async function measureLists(bench: Workspace): Promise<Comparison[]> {
  const cli = new CommandLine(bench);
  return [
    ...(await measureRoot(bench, bench.main, cli, MAIN_GOALS)),
    ...(await measureRoot(bench, bench.root("small", bench.sizes.small), cli, SMALL_GOALS)),
    ...measureColdStarts(bench, cli),
  ];
}

/** Milliseconds, one number per round. */
interface Times {
  newest: number[];
  list: number[];
  syncAndList: number[];
  manager: number[];
  cold: number[];
  peer: number[];
  peerCold: number[];
}

async function measureRoot(
  bench: Workspace,
  root: BenchRoot,
  cli: CommandLine,
  goals: Goals,
): Promise<Comparison[]> {
  const module = findPeerModule(bench);
  if (!module) return [];
  const { agentDir, linked } = linkAgentFolder(bench, root);
  const env = { PI_CODING_AGENT_DIR: agentDir };
  const db = bench.index(linked);
  const command = ["list", "--all", "--root", linked.path, "--db", db];
  const sessions = root.manifest.files - root.manifest.subagents;
  const times: Times = {
    newest: [],
    list: [],
    syncAndList: [],
    manager: [],
    cold: [],
    peer: [],
    peerCold: [],
  };
  let peerPeakBytes = 0;
  const index = new IndexProcess(db, [linked.path], agentDir);
  try {
    // Warm-up: code gets compiled and files cached.
    cli.time(command);
    await index.list("newest", bench.turns, 50);
    for (const task of ["list", "sync and list", "session manager"] as const) {
      await index.list(task, bench.turns, sessions);
    }
    await bench.runRounds(`lists of ${root.title}, alternating with ${PEER}`, async () => {
      const { result, ms } = timeChild<PeerList>(env, "processes/peer-list.ts", module);
      if (result.sessions !== sessions) throw new Error(`${PEER} lists ${result.sessions}, not ${sessions}`);
      peerPeakBytes = Math.max(peerPeakBytes, result.peakRssBytes);
      times.peer.push(result.ms);
      times.peerCold.push(ms);
      times.newest.push(await index.list("newest", bench.turns, 50));
      times.list.push(await index.list("list", bench.turns, sessions));
      times.syncAndList.push(await index.list("sync and list", bench.turns, sessions));
      times.manager.push(await index.list("session manager", bench.turns, sessions));
      times.cold.push(cli.time(command));
    });
  } finally {
    index.end();
  }
  const inProcess = { unit: "ms", against: `${PEER}, listAll`, base: times.peer, times: "as fast" } as const;
  const what = `list of ${root.title}`;
  return [
    compare({
      ...inProcess,
      what: `${what}: the newest 50, an open index`,
      measured: times.newest,
      goal: goals.newest,
    }),
    compare({ ...inProcess, what: `${what}: an open index`, measured: times.list, goal: goals.inProcess }),
    compare({ ...inProcess, what: `${what}: synced first`, measured: times.syncAndList }),
    compare({ ...inProcess, what: `${what}: SessionManager.listAll`, measured: times.manager }),
    compare({
      what: `${what}: a process from cold`,
      unit: "ms",
      measured: times.cold,
      against: `${PEER}, a process`,
      base: times.peerCold,
      times: "as fast",
      goal: goals.cold,
    }),
    compare({
      what: `${what}: peak memory of a process`,
      unit: "bytes",
      measured: [cli.peakBytes(command)],
      against: `${PEER}, a process`,
      base: [peerPeakBytes],
      times: "as much",
    }),
  ];
}

/** `pidex list` in a new process, compared with an empty Node process. */
function measureColdStarts(bench: Workspace, cli: CommandLine): Comparison[] {
  const { linked } = linkAgentFolder(bench, bench.main);
  const command = ["list", "--root", linked.path, "--db", bench.index(linked)];
  const measured: number[] = [];
  const base: number[] = [];
  cli.time(command);
  cli.time([]);
  bench.logProgress("pidex list from cold, alternating with an empty Node process");
  for (let turn = 0; turn < bench.rounds * bench.turns; turn++) {
    measured.push(cli.time(command));
    base.push(cli.time([]));
  }
  const what = `pidex list over ${linked.title}, from cold`;
  return [
    compare({ what, unit: "ms", measured, against: "node -e 0", base, times: "as long", goal: START_GOAL }),
  ];
}
