import { spawnSync } from "node:child_process";
import { timeCommand } from "./child.ts";
import { CommandLine } from "./command-line.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median, p95 } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { type Asked, type ClassName, type QueryClass, queryClasses } from "./queries.ts";
import type { Workspace } from "./workspace.ts";

/** How many times as fast as ripgrep the slowest but five in a hundred are to be. */
const AT_LEAST: Partial<Record<ClassName, number>> = {
  "a rare word": 2000,
  "some 1,000 hits": 100,
  "the commonest words": 20,
  "a pair of Chinese characters": 25,
  "a phrase": 10,
};
const COLD: Goal = { of: "ratio", atLeast: 4 };

const RIPGREP = "ripgrep, 2 threads";

/** D. Searches of several kinds, in a process that has the index open and from cold, in turns with ripgrep. */
export async function searches(bench: Workspace): Promise<Comparison[]> {
  const root = bench.mixed;
  if (spawnSync("rg", ["--version"]).status !== 0) {
    bench.notes.add("There is no ripgrep (rg) here: searches, which are held against it, are left out.");
    return [];
  }
  const cli = new CommandLine(bench);
  const db = bench.index(root);
  const index = new IndexProcess(db, [root.path]);
  try {
    const classes = await queryClasses(root, db);
    for (const each of classes) bench.notes.add(told(each));
    const times = classes.map((asked) => new ClassTimes(asked));
    for (const each of times) await each.round(bench, index, root.path); // so that all is warm
    for (const each of times) each.forget();
    await bench.inRounds(`searches of ${root.title}, in turns with ripgrep`, async () => {
      for (const each of times) await each.round(bench, index, root.path);
    });
    const command = (query: Asked) => coldCommand(query, root.path, db);
    await bench.inRounds("searches from cold, in turns with ripgrep", () => {
      for (const each of times) each.cold(cli, command, root.path);
    });
    return [
      ...times.flatMap((each) => each.rows()),
      ...times.map((each) => each.coldRow()),
      ...(await peakRows(index, cli, command, times)),
    ];
  } finally {
    index.end();
  }
}

function told({ name, queries }: QueryClass): string {
  return `Searched, ${name}: ${queries.map(({ text, hits }) => `${text} (${hits})`).join(", ")}.`;
}

function coldCommand({ text, options }: Asked, root: string, db: string): string[] {
  const project = options?.project ? ["--project", options.project] : [];
  return ["search", ...project, "--root", root, "--db", db, "--", text];
}

/** Lines that hold the text, counted for each file, in any case: the least that ripgrep can be asked. */
function ripgrepMs({ ripgrep, folder }: Asked, root: string): number {
  return timeCommand("rg", ["-j2", "-c", "-i", "-F", "--", ripgrep, folder ?? root]);
}

/** What was measured of one class, one number a round. */
class ClassTimes {
  readonly #class: QueryClass;
  #half: number[] = [];
  #most: number[] = [];
  #ripgrep: number[] = [];
  readonly #cold: number[] = [];
  readonly #ripgrepCold: number[] = [];

  constructor(asked: QueryClass) {
    this.#class = asked;
  }

  get name(): ClassName {
    return this.#class.name;
  }

  /** The query for the cold start. */
  get query(): Asked {
    return this.#class.queries[0] as Asked;
  }

  async round({ turns }: Workspace, index: IndexProcess, root: string): Promise<void> {
    const { queries } = this.#class;
    // As many in each class, for their 95th percentile.
    const searched = await index.search(queries, Math.ceil((turns * 8) / queries.length));
    const ms = searched.flatMap((query) => query.ms);
    this.#half.push(median(ms));
    this.#most.push(p95(ms));
    this.#ripgrep.push(median(queries.map((query) => ripgrepMs(query, root))));
  }

  forget(): void {
    this.#half = [];
    this.#most = [];
    this.#ripgrep = [];
  }

  cold(cli: CommandLine, command: (query: Asked) => string[], root: string): void {
    this.#cold.push(cli.time(command(this.query)));
    this.#ripgrepCold.push(ripgrepMs(this.query, root));
  }

  rows(): Comparison[] {
    const { name } = this.#class;
    const atLeast = AT_LEAST[name];
    const against = { unit: "ms", against: RIPGREP, base: this.#ripgrep, times: "as fast" } as const;
    return [
      compare({ ...against, what: `search, ${name}: p50`, measured: this.#half }),
      compare({
        ...against,
        what: `search, ${name}: p95`,
        measured: this.#most,
        goal: atLeast === undefined ? undefined : { of: "ratio", atLeast },
      }),
    ];
  }

  coldRow(): Comparison {
    return compare({
      what: `search, ${this.#class.name}: a process from cold`,
      unit: "ms",
      measured: this.#cold,
      against: RIPGREP,
      base: this.#ripgrepCold,
      times: "as fast",
      // In one project ripgrep reads that folder alone: the goal is of all files.
      goal: this.query.folder === undefined ? COLD : undefined,
    });
  }
}

async function peakRows(
  index: IndexProcess,
  cli: CommandLine,
  command: (query: Asked) => string[],
  times: readonly ClassTimes[],
): Promise<Comparison[]> {
  const base = { unit: "bytes", against: "node -e 0", base: [cli.peakBytes([])], times: "as much" } as const;
  const commonest = times.find(({ name }) => name === "the commonest words") ?? times[0];
  const processes = commonest ? [cli.peakBytes(command(commonest.query))] : [];
  return [
    compare({ ...base, what: "searches: peak memory of an open index", measured: [await index.peakBytes()] }),
    compare({ ...base, what: "searches: peak memory of a process", measured: processes }),
  ];
}
