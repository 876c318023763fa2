import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BenchRoot } from "./bench-root.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median, p95 } from "./distribution.ts";
import { FIRST_SESSION, HEADING, type Painted, RULE } from "./painted.ts";
import { CTRL_U, type KeyTimes, PickerTerminal } from "./picker-terminal.ts";
import { KEYS, LOOK_MS, PACE_MS, QUERIES } from "./typing.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  results: { of: "measured", atMost: 33 },
  memory: { of: "measured", atMost: 200e6 },
  firstPaint: { of: "ratio", atMost: 3 },
} satisfies Record<string, Goal>;

const LARGE = { columns: 100, rows: 30 };
const SMALL = { columns: 80, rows: 24 };
type Size = typeof LARGE;

const FIRST_LOOK_MS = 1500;
/** Pause between rows: a little longer than a selection must rest before its preview is loaded. */
const WALK_PACE_MS = 60;
const WALKED_ROWS = 300;

const DOWN = "\x1b[B";
const TREE = "\x14"; // Ctrl+T
const FACETS = "\x07"; // Ctrl+G
const ESCAPE = "\x1b";

/** H. The picker in a pseudo-terminal: typing, moving and reading. */
export async function pickers(bench: Workspace): Promise<Comparison[]> {
  const person = new Person(bench);
  const small = bench.root("small", bench.sizes.small);
  const typing = await typed(bench, person, small);
  return [
    ...typing.rows,
    ...(await firstPaints(bench, person, small)),
    ...(await whileIndexing(bench, person, { small, ready: typing.echoMs })),
  ];
}

/** Opens pickers. */
class Person {
  readonly cli: CommandLine;
  readonly #bench: Workspace;
  readonly #cwd: string;

  constructor(bench: Workspace) {
    this.cli = new CommandLine(bench);
    this.#bench = bench;
    this.#cwd = bench.scratch("home", "project");
    mkdirSync(this.#cwd, { recursive: true });
  }

  /** @param db default: the workspace's index, which is up to date */
  picker(root: BenchRoot, size: Size, db = this.#bench.index(root)): PickerTerminal {
    return this.start(this.cli.argv(["pick", "--all", "--root", root.path, "--db", db]), size);
  }

  start(argv: readonly string[], size: Size): PickerTerminal {
    // No user settings.
    const config = this.#bench.scratch("config", "none");
    const env = { ...this.cli.env, XDG_CONFIG_HOME: config, APPDATA: config };
    return new PickerTerminal({ argv, env, cwd: this.#cwd, ...size });
  }
}

/** Typing over roots with a complete index, each round in new processes. */
async function typed(
  bench: Workspace,
  person: Person,
  small: BenchRoot,
): Promise<{ rows: Comparison[]; echoMs: number[] }> {
  const least: KeyTimes[][] = [];
  const peaks: number[] = [];
  const runs = [
    { root: small, size: LARGE, goal: GOALS.results, rounds: [] as KeyTimes[][] },
    { root: small, size: SMALL, goal: GOALS.results, rounds: [] as KeyTimes[][] },
    { root: bench.mixed, size: LARGE, goal: undefined, rounds: [] as KeyTimes[][] },
  ];
  for (const { root } of runs) await opened(person.picker(root, LARGE), (picker) => looked(picker, 0));
  await bench.inRounds(`typing ${KEYS} keys over ${small.title} and ${bench.mixed.title}`, async () => {
    least.push(await leastTimes(person));
    for (const [n, { root, size, rounds }] of runs.entries()) {
      await opened(person.picker(root, size), async (picker) => {
        rounds.push(await typeQueries(picker));
        if (n > 0) return;
        await walk(picker);
        peaks.push(picker.peakBytes());
      });
    }
  });
  const rows = runs.flatMap(({ root, size, goal, rounds }) =>
    rowsOf(titleOf(root, size), rounds, least, goal),
  );
  const memory = compare({
    what: `picker over ${small.title}: peak memory after ${KEYS} keys, ${WALKED_ROWS} rows, a tree and facets`,
    unit: "bytes",
    measured: peaks,
    against: "node -e 0",
    base: [person.cli.peakBytes([])],
    times: "as much",
    goal: GOALS.memory,
  });
  const [{ rounds: ready } = { rounds: [] }] = runs;
  return { rows: [...rows, memory], echoMs: p95s(ready, ({ echoMs }) => echoMs) };
}

function titleOf({ title }: BenchRoot, { columns, rows }: Size): string {
  return `a key over ${title}, ${columns} x ${rows}`;
}

function rowsOf(
  what: string,
  rounds: readonly KeyTimes[][],
  least: readonly KeyTimes[][],
  goal: Goal | undefined,
): Comparison[] {
  const results = ({ resultsMs }: KeyTimes) => resultsMs;
  const echo = ({ echoMs }: KeyTimes) => echoMs;
  const against = { unit: "ms", against: "a Node that shows what is typed", times: "as long" } as const;
  const base = p95s(least, echo);
  return [
    compare({
      ...against,
      what: `${what}: results painted, p50 of ${KEYS} keys`,
      measured: p50s(rounds, results),
      base: p50s(least, echo),
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

/** Uses a picker, and quits it. */
async function opened<T>(picker: PickerTerminal, work: (picker: PickerTerminal) => Promise<T>): Promise<T> {
  try {
    const done = await work(picker);
    await picker.leave();
    return done;
  } finally {
    picker.kill();
  }
}

/** Waits as long as a user looks at the list before typing. */
async function looked(picker: PickerTerminal, ms: number): Promise<void> {
  await picker.when("sessions", showsSessions);
  await pause(ms);
  await picker.when("all of the list", ({ isBehind, typed }) => !isBehind && typed === "");
}

async function typeQueries(picker: PickerTerminal): Promise<KeyTimes[]> {
  const keys: KeyTimes[] = [];
  await looked(picker, FIRST_LOOK_MS);
  for (const query of QUERIES) {
    keys.push(...(await picker.type(query, PACE_MS)));
    await pause(LOOK_MS);
    await picker.clear();
  }
  return keys;
}

/** Milliseconds to show a letter and nothing else. */
async function leastTimes(person: Person): Promise<KeyTimes[]> {
  const picker = person.start([join(import.meta.dirname, "processes/show-typed.ts")], LARGE);
  try {
    await picker.when("that it is ready", ({ typed }) => typed === "");
    return await picker.type(QUERIES.join("").slice(0, 50), PACE_MS);
  } finally {
    picker.kill();
    await picker.ended;
  }
}

/** Moves through many rows with previews; opens a tree and facets. */
async function walk(picker: PickerTerminal): Promise<void> {
  const { painted } = picker;
  const total = Number(/\/([\d,]+)\s*$/.exec(painted.text(HEADING))?.[1]?.replaceAll(",", ""));
  for (let row = 2; row <= Math.min(WALKED_ROWS, total); row++) {
    picker.write(DOWN);
    await picker.when(`row ${row}`, () => painted.text(HEADING).includes(`${row}/`));
    await pause(WALK_PACE_MS);
  }
  for (const [key, about, title] of [
    [TREE, "a tree", /── /],
    [FACETS, "facets", /filter by/],
  ] as const) {
    picker.write(key);
    await picker.when(about, () => title.test(painted.text(RULE)));
    await pause(LOOK_MS);
    picker.write(ESCAPE);
    await picker.when(`the list behind ${about}`, () => !title.test(painted.text(RULE)));
  }
}

function showsSessions(painted: Painted): boolean {
  return painted.text(FIRST_SESSION).startsWith("› ");
}

/** Time from the start of a process to the first frame, alternating with a Node that does nothing in the same terminal. */
async function firstPaints(bench: Workspace, person: Person, root: BenchRoot): Promise<Comparison[]> {
  const frames: number[] = [];
  const sessions: number[] = [];
  const base: number[] = [];
  bench.say("the picker from cold, in turns with a Node that does nothing");
  for (let turn = 0; turn < bench.rounds * bench.turns; turn++) {
    await opened(person.picker(root, LARGE), async (picker) => {
      const [frame, rows] = await Promise.all([
        picker.when("anything", (painted) => painted.text(HEADING) !== ""),
        picker.when("sessions", showsSessions),
      ]);
      frames.push(frame - picker.startedAt);
      sessions.push(rows - picker.startedAt);
      await looked(picker, 0);
    });
    const nothing = person.start(person.cli.argv([]), LARGE);
    base.push((await nothing.ended) - nothing.startedAt);
  }
  const against = { unit: "ms", against: "node -e 0", base, times: "as long" } as const;
  const what = `picker over ${root.title}, from cold`;
  return [
    compare({ ...against, what: `${what}: an empty frame`, measured: frames }),
    compare({ ...against, what: `${what}: sessions painted`, measured: sessions, goal: GOALS.firstPaint }),
  ];
}

/** Typing while the first index is built in two other threads. */
async function whileIndexing(
  bench: Workspace,
  person: Person,
  { small, ready }: { small: BenchRoot; ready: number[] },
): Promise<Comparison[]> {
  const root = bench.root("mixed", bench.sizes.mixed[1] ?? bench.sizes.mixed[0] ?? "100MB");
  const rounds: KeyTimes[][] = [];
  const isIndexing = (painted: Painted) => painted.text(HEADING).includes("indexing");
  await bench.inRounds(`typing while ${root.title} is indexed first`, async (round) => {
    const db = bench.scratch(`picker-${round}.db`);
    const keys: KeyTimes[] = [];
    await opened(person.picker(root, LARGE, db), async (picker) => {
      await picker.when("that it indexes", isIndexing);
      for (let n = 0; isIndexing(picker.painted); n++) {
        keys.push(...(await picker.type(QUERIES[n % QUERIES.length] ?? "", PACE_MS, isIndexing)));
        picker.write(CTRL_U);
        await picker.when("an empty line", ({ typed }) => typed === "");
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
      base: ready,
      times: "as long",
    }),
  ];
}
