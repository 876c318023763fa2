import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BenchRoot } from "./bench-root.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median, p95 } from "./distribution.ts";
import { FIRST_SESSION_ROW, HEADING_ROW, type PickerScreen, RULE_ROW } from "./picker-screen.ts";
import { CTRL_U, type KeyTimes, PickerTerminal } from "./picker-terminal.ts";
import { KEY_COUNT, KEY_INTERVAL_MS, QUERIES, QUERY_PAUSE_MS } from "./typing.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  results: { of: "measured", atMost: 33 },
  memory: { of: "measured", atMost: 200e6 },
  firstPaint: { of: "ratio", atMost: 3 },
} satisfies Record<string, Goal>;

const LARGE_TERMINAL = { columns: 100, rows: 30 };
const SMALL_TERMINAL = { columns: 80, rows: 24 };
type TerminalSize = typeof LARGE_TERMINAL;

const INITIAL_PAUSE_MS = 1500;
/** Slightly longer than the delay after which the preview of a selected row is loaded. */
const ROW_INTERVAL_MS = 60;
const VISITED_ROWS = 300;

const DOWN = "\x1b[B";
const TREE = "\x14"; // Ctrl+T
const FACETS = "\x07"; // Ctrl+G
const ESCAPE = "\x1b";

/** H. The picker in a pseudo-terminal: typing, moving and reading. */
export async function measurePicker(bench: Workspace): Promise<Comparison[]> {
  const launcher = new PickerLauncher(bench);
  const small = bench.root("small", bench.sizes.small);
  const typing = await measureTyping(bench, launcher, small);
  return [
    ...typing.rows,
    ...(await measureColdStart(bench, launcher, small)),
    ...(await measureWhileIndexing(bench, launcher, { small, readyEchoMs: typing.echoMs })),
  ];
}

/** Starts pickers without user settings. */
class PickerLauncher {
  readonly cli: CommandLine;
  readonly #bench: Workspace;
  readonly #cwd: string;

  constructor(bench: Workspace) {
    this.cli = new CommandLine(bench);
    this.#bench = bench;
    this.#cwd = bench.scratchPath("home", "project");
    mkdirSync(this.#cwd, { recursive: true });
  }

  /** @param db default: the workspace's index, which is up to date */
  startPicker(root: BenchRoot, size: TerminalSize, db = this.#bench.index(root)): PickerTerminal {
    return this.startProcess(this.cli.argv(["pick", "--all", "--root", root.path, "--db", db]), size);
  }

  startProcess(argv: readonly string[], size: TerminalSize): PickerTerminal {
    const config = this.#bench.scratchPath("config", "none");
    const env = { ...this.cli.env, XDG_CONFIG_HOME: config, APPDATA: config };
    return new PickerTerminal({ argv, env, cwd: this.#cwd, ...size });
  }
}

/** Typing over roots with a complete index, each round in new processes. */
async function measureTyping(
  bench: Workspace,
  launcher: PickerLauncher,
  small: BenchRoot,
): Promise<{ rows: Comparison[]; echoMs: number[] }> {
  const echoRounds: KeyTimes[][] = [];
  const peaks: number[] = [];
  const runs = [
    { root: small, size: LARGE_TERMINAL, goal: GOALS.results, rounds: [] as KeyTimes[][] },
    { root: small, size: SMALL_TERMINAL, goal: GOALS.results, rounds: [] as KeyTimes[][] },
    { root: bench.main, size: LARGE_TERMINAL, goal: undefined, rounds: [] as KeyTimes[][] },
  ];
  for (const { root } of runs)
    await usePicker(launcher.startPicker(root, LARGE_TERMINAL), (picker) => waitForList(picker, 0));
  await bench.runRounds(`typing ${KEY_COUNT} keys over ${small.title} and ${bench.main.title}`, async () => {
    echoRounds.push(await measureEcho(launcher));
    for (const [n, { root, size, rounds }] of runs.entries()) {
      await usePicker(launcher.startPicker(root, size), async (picker) => {
        rounds.push(await typeQueries(picker));
        if (n > 0) return;
        await browse(picker);
        peaks.push(picker.peakBytes());
      });
    }
  });
  const rows = runs.flatMap(({ root, size, goal, rounds }) =>
    toRows(formatTitle(root, size), rounds, echoRounds, goal),
  );
  const memory = compare({
    what: `picker over ${small.title}: peak memory after ${KEY_COUNT} keys, ${VISITED_ROWS} rows, a tree and facets`,
    unit: "bytes",
    measured: peaks,
    against: "node -e 0",
    base: [launcher.cli.peakBytes([])],
    times: "as much",
    goal: GOALS.memory,
  });
  const [{ rounds: firstRounds } = { rounds: [] }] = runs;
  return { rows: [...rows, memory], echoMs: p95s(firstRounds, ({ echoMs }) => echoMs) };
}

function formatTitle({ title }: BenchRoot, { columns, rows }: TerminalSize): string {
  return `a key over ${title}, ${columns} x ${rows}`;
}

function toRows(
  what: string,
  rounds: readonly KeyTimes[][],
  echoRounds: readonly KeyTimes[][],
  goal: Goal | undefined,
): Comparison[] {
  const results = ({ resultsMs }: KeyTimes) => resultsMs;
  const echo = ({ echoMs }: KeyTimes) => echoMs;
  const against = { unit: "ms", against: "a Node that shows what is typed", times: "as long" } as const;
  const base = p95s(echoRounds, echo);
  return [
    compare({
      ...against,
      what: `${what}: results painted, p50 of ${KEY_COUNT} keys`,
      measured: p50s(rounds, results),
      base: p50s(echoRounds, echo),
    }),
    compare({
      ...against,
      what: `${what}: results painted, p95`,
      measured: p95s(rounds, results),
      base,
      goal,
    }),
    compare({ ...against, what: `${what}: the letter itself, p95`, measured: p95s(rounds, echo), base }),
  ];
}

function p50s(rounds: readonly KeyTimes[][], ms: (key: KeyTimes) => number): number[] {
  return rounds.map((keys) => median(keys.map(ms)));
}

function p95s(rounds: readonly KeyTimes[][], ms: (key: KeyTimes) => number): number[] {
  return rounds.map((keys) => p95(keys.map(ms)));
}

/** Calls a function with a picker, then quits it. */
async function usePicker<T>(
  picker: PickerTerminal,
  work: (picker: PickerTerminal) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(picker);
    await picker.quit();
    return result;
  } finally {
    picker.kill();
  }
}

/** Waits for the list to be complete, but at least `ms` milliseconds. */
async function waitForList(picker: PickerTerminal, ms: number): Promise<void> {
  await picker.waitFor("sessions", showsSessions);
  await pause(ms);
  await picker.waitFor("the complete list", ({ isPending, typed }) => !isPending && typed === "");
}

async function typeQueries(picker: PickerTerminal): Promise<KeyTimes[]> {
  const keys: KeyTimes[] = [];
  await waitForList(picker, INITIAL_PAUSE_MS);
  for (const query of QUERIES) {
    keys.push(...(await picker.type(query, KEY_INTERVAL_MS)));
    await pause(QUERY_PAUSE_MS);
    await picker.clear();
  }
  return keys;
}

/** Times of a process that only echoes what is typed. */
async function measureEcho(launcher: PickerLauncher): Promise<KeyTimes[]> {
  const picker = launcher.startProcess(
    [join(import.meta.dirname, "processes/echo-typed.ts")],
    LARGE_TERMINAL,
  );
  try {
    await picker.waitFor("an input line", ({ typed }) => typed === "");
    return await picker.type(QUERIES.join("").slice(0, 50), KEY_INTERVAL_MS);
  } finally {
    picker.kill();
    await picker.ended;
  }
}

/** Moves through many rows with previews; opens a tree and facets. */
async function browse(picker: PickerTerminal): Promise<void> {
  const { screen } = picker;
  const total = Number(/ of ([\d,]+)\s*$/.exec(screen.text(HEADING_ROW))?.[1]?.replaceAll(",", ""));
  for (let row = 2; row <= Math.min(VISITED_ROWS, total); row++) {
    picker.write(DOWN);
    await picker.waitFor(`row ${row}`, () => screen.text(HEADING_ROW).includes(` ${row} of `));
    await pause(ROW_INTERVAL_MS);
  }
  for (const [key, what, title] of [
    [TREE, "a tree", /── /],
    [FACETS, "facets", /filter by/],
  ] as const) {
    picker.write(key);
    await picker.waitFor(what, () => title.test(screen.text(RULE_ROW)));
    await pause(QUERY_PAUSE_MS);
    picker.write(ESCAPE);
    await picker.waitFor(`the list behind ${what}`, () => !title.test(screen.text(RULE_ROW)));
  }
}

function showsSessions(screen: PickerScreen): boolean {
  return screen.text(FIRST_SESSION_ROW).startsWith("› ");
}

/** Time from the start of a process to the first frame, alternating with an empty Node process in the same terminal. */
async function measureColdStart(
  bench: Workspace,
  launcher: PickerLauncher,
  root: BenchRoot,
): Promise<Comparison[]> {
  const frames: number[] = [];
  const sessions: number[] = [];
  const base: number[] = [];
  bench.logProgress("cold starts of the picker, alternating with an empty Node process");
  for (let turn = 0; turn < bench.rounds * bench.turns; turn++) {
    await usePicker(launcher.startPicker(root, LARGE_TERMINAL), async (picker) => {
      const [frame, rows] = await Promise.all([
        picker.waitFor("anything", (screen) => screen.text(HEADING_ROW) !== ""),
        picker.waitFor("sessions", showsSessions),
      ]);
      frames.push(frame - picker.startedAt);
      sessions.push(rows - picker.startedAt);
      await waitForList(picker, 0);
    });
    const nothing = launcher.startProcess(launcher.cli.argv([]), LARGE_TERMINAL);
    base.push((await nothing.ended) - nothing.startedAt);
  }
  const against = { unit: "ms", against: "node -e 0", base, times: "as long" } as const;
  const what = `picker over ${root.title}, from cold`;
  return [
    compare({ ...against, what: `${what}: an empty frame`, measured: frames }),
    compare({ ...against, what: `${what}: sessions painted`, measured: sessions, goal: GOALS.firstPaint }),
  ];
}

/** Measures typing while two other threads build the first index. */
async function measureWhileIndexing(
  bench: Workspace,
  launcher: PickerLauncher,
  { small, readyEchoMs }: { small: BenchRoot; readyEchoMs: number[] },
): Promise<Comparison[]> {
  const root = bench.mainRoots[1] ?? bench.main;
  const rounds: KeyTimes[][] = [];
  const isIndexing = (screen: PickerScreen) => screen.text(HEADING_ROW).includes("indexing");
  await bench.runRounds(`typing during the first index of ${root.title}`, async (round) => {
    const db = bench.scratchPath(`picker-${round}.db`);
    const keys: KeyTimes[] = [];
    await usePicker(launcher.startPicker(root, LARGE_TERMINAL, db), async (picker) => {
      await picker.waitFor("indexing progress", isIndexing);
      for (let n = 0; isIndexing(picker.screen); n++) {
        keys.push(...(await picker.type(QUERIES[n % QUERIES.length] ?? "", KEY_INTERVAL_MS, isIndexing)));
        picker.write(CTRL_U);
        await picker.waitFor("an empty line", ({ typed }) => typed === "");
      }
    });
    rounds.push(keys);
  });
  const count = rounds.reduce((sum, keys) => sum + keys.length, 0);
  return [
    compare({
      what: `a key while ${root.title} is indexed first: the letter itself, p95 of ${Math.round(count / rounds.length)} keys`,
      unit: "ms",
      measured: p95s(rounds, ({ echoMs }) => echoMs),
      against: `${small.title}, with an index that is ready`,
      base: readyEchoMs,
      times: "as long",
    }),
  ];
}
