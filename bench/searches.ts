import { spawnSync } from "node:child_process";
import { timeCommand } from "./child.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median, p95 } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { type BenchQuery, type ClassName, chooseQueries, type QueryClass } from "./queries.ts";
import type { Workspace } from "./workspace.ts";

/** Goals for the 95th percentile, in milliseconds. */
const MAX_MS: Record<ClassName, number> = {
  "a rare word": 0.5,
  "about 1,000 hits": 8,
  "the most common words": 10,
  "two words": 12,
  "a phrase": 15,
  "a prefix": 12,
  "two Chinese characters": 10,
  "one project": 12,
};
const COLD_GOAL: Goal = { of: "ratio", atLeast: 1 };

const RIPGREP = "ripgrep, 2 threads";

/** D. Searches of several kinds, with an open index and in new processes, alternating with ripgrep. */
export async function measureSearches(bench: Workspace): Promise<Comparison[]> {
  const root = bench.main;
  if (spawnSync("rg", ["--version"]).status !== 0) {
    bench.notes.add("Searches were skipped: ripgrep (rg), which they are compared with, is not installed.");
    return [];
  }
  const cli = new CommandLine(bench);
  const db = bench.index(root);
  const index = new IndexProcess(db, [root.path]);
  try {
    const classes = await chooseQueries(root, db);
    for (const queryClass of classes) bench.notes.add(formatQueries(queryClass));
    const times = classes.map((queryClass) => new ClassTimes(queryClass));
    for (const classTimes of times) await classTimes.measureRound(bench, index, root.path); // warm-up
    for (const classTimes of times) classTimes.reset();
    await bench.runRounds(`searches of ${root.title}, alternating with ripgrep`, async () => {
      for (const classTimes of times) await classTimes.measureRound(bench, index, root.path);
    });
    const command = (query: BenchQuery) => toArguments(query, root.path, db);
    await bench.runRounds("searches from cold, alternating with ripgrep", () => {
      for (const classTimes of times) classTimes.measureColdStart(cli, command, root.path);
    });
    return [
      ...times.flatMap((classTimes) => classTimes.rows()),
      ...times.map((classTimes) => classTimes.coldStartRow()),
      ...(await peakRows(index, cli, command, times)),
    ];
  } finally {
    index.end();
  }
}

function formatQueries({ name, queries }: QueryClass): string {
  return `Queries, ${name}: ${queries.map(({ text, hits }) => `${text} (${hits})`).join(", ")}.`;
}

function toArguments({ text, options }: BenchQuery, root: string, db: string): string[] {
  const project = options?.project ? ["--project", options.project] : [];
  return ["search", ...project, "--root", root, "--db", db, "--", text];
}

/** Milliseconds ripgrep takes to count matching lines per file, ignoring case: the least work it can do. */
function timeRipgrep({ ripgrepText, folder }: BenchQuery, root: string): number {
  return timeCommand("rg", ["-j2", "-c", "-i", "-F", "--", ripgrepText, folder ?? root]);
}

/** Times of one class of queries in milliseconds, one number per round. */
class ClassTimes {
  readonly #class: QueryClass;
  #p50: number[] = [];
  #p95: number[] = [];
  #ripgrep: number[] = [];
  readonly #coldStart: number[] = [];
  readonly #ripgrepColdStart: number[] = [];

  constructor(queryClass: QueryClass) {
    this.#class = queryClass;
  }

  get name(): ClassName {
    return this.#class.name;
  }

  /** The query used for cold starts. */
  get firstQuery(): BenchQuery {
    return this.#class.queries[0] as BenchQuery;
  }

  async measureRound({ turns }: Workspace, index: IndexProcess, root: string): Promise<void> {
    const { queries } = this.#class;
    // Every class gets the same number of searches, so that their percentiles are comparable.
    const results = await index.search(queries, Math.ceil((turns * 8) / queries.length));
    const ms = results.flatMap((query) => query.ms);
    this.#p50.push(median(ms));
    this.#p95.push(p95(ms));
    this.#ripgrep.push(median(queries.map((query) => timeRipgrep(query, root))));
  }

  reset(): void {
    this.#p50 = [];
    this.#p95 = [];
    this.#ripgrep = [];
  }

  measureColdStart(cli: CommandLine, command: (query: BenchQuery) => string[], root: string): void {
    this.#coldStart.push(cli.time(command(this.firstQuery)));
    this.#ripgrepColdStart.push(timeRipgrep(this.firstQuery, root));
  }

  rows(): Comparison[] {
    const { name } = this.#class;
    const against = { unit: "ms", against: RIPGREP, base: this.#ripgrep, times: "as fast" } as const;
    return [
      compare({ ...against, what: `search, ${name}: p50`, measured: this.#p50 }),
      compare({
        ...against,
        what: `search, ${name}: p95`,
        measured: this.#p95,
        goal: { of: "measured", atMost: MAX_MS[name] },
      }),
    ];
  }

  coldStartRow(): Comparison {
    return compare({
      what: `search, ${this.#class.name}: a process from cold`,
      unit: "ms",
      measured: this.#coldStart,
      against: RIPGREP,
      base: this.#ripgrepColdStart,
      times: "as fast",
      // The goal is for searching all files; for one project ripgrep reads only its folder.
      goal: this.firstQuery.folder === undefined ? COLD_GOAL : undefined,
    });
  }
}

async function peakRows(
  index: IndexProcess,
  cli: CommandLine,
  command: (query: BenchQuery) => string[],
  times: readonly ClassTimes[],
): Promise<Comparison[]> {
  const base = { unit: "bytes", against: "node -e 0", base: [cli.peakBytes([])], times: "as much" } as const;
  const mostCommon = times.find(({ name }) => name === "the most common words") ?? times[0];
  const processes = mostCommon ? [cli.peakBytes(command(mostCommon.firstQuery))] : [];
  return [
    compare({ ...base, what: "searches: peak memory of an open index", measured: [await index.peakBytes()] }),
    compare({ ...base, what: "searches: peak memory of a process", measured: processes }),
  ];
}
