import type { BenchRoot } from "./bench-root.ts";
import { timeChild } from "./child.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { IndexProcess } from "./index-process.ts";
import { agentFolder, PEER, peerModule } from "./peer.ts";
import type { PeerList } from "./processes/peer-list.ts";
import type { Workspace } from "./workspace.ts";

interface Goals {
  inProcess: Goal;
  cold: Goal;
}

const MIXED: Goals = { inProcess: { of: "ratio", atLeast: 2500 }, cold: { of: "ratio", atLeast: 160 } };
const SMALL: Goals = { inProcess: { of: "ratio", atLeast: 200 }, cold: { of: "ratio", atLeast: 45 } };
const START: Goal = { of: "ratio", atMost: 2 };

/** C. Lists all sessions, with an open index and in new processes, alternating with the published pi. */
export async function lists(bench: Workspace): Promise<Comparison[]> {
  const cli = new CommandLine(bench);
  return [
    ...(await listsOf(bench, bench.mixed, cli, MIXED)),
    ...(await listsOf(bench, bench.root("small", bench.sizes.small), cli, SMALL)),
    ...starts(bench, cli),
  ];
}

/** Milliseconds, one number per round. */
interface Times {
  list: number[];
  syncAndList: number[];
  manager: number[];
  cold: number[];
  peer: number[];
  peerCold: number[];
}

async function listsOf(
  bench: Workspace,
  root: BenchRoot,
  cli: CommandLine,
  goals: Goals,
): Promise<Comparison[]> {
  const module = peerModule(bench);
  if (!module) return [];
  const { agentDir, linked } = agentFolder(bench, root);
  const env = { PI_CODING_AGENT_DIR: agentDir };
  const db = bench.index(linked);
  const command = ["list", "--all", "--root", linked.path, "--db", db];
  const sessions = root.manifest.files - root.manifest.subagents;
  const times: Times = { list: [], syncAndList: [], manager: [], cold: [], peer: [], peerCold: [] };
  let peerPeakBytes = 0;
  const index = new IndexProcess(db, [linked.path], agentDir);
  try {
    // Each runs once before, so that code is compiled and files are cached.
    cli.time(command);
    for (const task of ["list", "sync and list", "session manager"] as const) {
      await index.list(task, bench.turns, sessions);
    }
    await bench.inRounds(`lists of ${root.title}, in turns with ${PEER}`, async () => {
      const { answer, ms } = timeChild<PeerList>(env, "processes/peer-list.ts", module);
      if (answer.sessions !== sessions) throw new Error(`${PEER} lists ${answer.sessions}, not ${sessions}`);
      peerPeakBytes = Math.max(peerPeakBytes, answer.peakRssBytes);
      times.peer.push(answer.ms);
      times.peerCold.push(ms);
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

/** `pidex list` in a new process, compared with a Node that does nothing. */
function starts(bench: Workspace, cli: CommandLine): Comparison[] {
  const { linked } = agentFolder(bench, bench.mixed);
  const command = ["list", "--root", linked.path, "--db", bench.index(linked)];
  const measured: number[] = [];
  const base: number[] = [];
  cli.time(command);
  cli.time([]);
  bench.say("pidex list from cold, in turns with a Node that does nothing");
  for (let turn = 0; turn < bench.rounds * bench.turns; turn++) {
    measured.push(cli.time(command));
    base.push(cli.time([]));
  }
  const what = `pidex list over ${linked.title}, from cold`;
  return [compare({ what, unit: "ms", measured, against: "node -e 0", base, times: "as long", goal: START })];
}
