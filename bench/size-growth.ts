/** How an index of ten times the sessions answers: `npm run bench:size -- --sizes 1GB,10GB`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseTypedQuery } from "../bin/format/typed-query.ts";
import { openIndex } from "../library/index.ts";
import { type BenchRoot, prepareRoot } from "./bench-root.ts";
import { median, p95 } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import type { Query } from "./processes/open-index.ts";
import { chooseQueries } from "./queries.ts";
import type { SyncCost } from "./sync-once.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1GB,10GB" },
    roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
    rounds: { type: "string", default: "5" },
  },
});
const TURNS = 8;
/** Keys that are typed one after the other. */
const TYPED = ["error in parse", "session file", "function"];

interface Measured {
  root: BenchRoot;
  cost: SyncCost;
  end: () => Promise<unknown>;
  /** What is measured, by name: each round's milliseconds. */
  tasks: { name: string; run: () => Promise<number[]> }[];
  times: Map<string, number[]>;
}

const folder = mkdtempSync(join(tmpdir(), "pidex-size-"));
try {
  const all: Measured[] = [];
  for (const size of values.sizes.split(",")) all.push(await prepare(size));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [n, { name }] of (all[0] as Measured).tasks.entries())
      for (const each of all) {
        const ms = (await each.tasks[n]?.run()) ?? [];
        if (round > 0) each.times.set(name, [...(each.times.get(name) ?? []), ...ms]);
      }
  report(all);
  for (const { end } of all) await end();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function prepare(size: string): Promise<Measured> {
  const root = prepareRoot(values.roots, "mixed", size);
  const db = join(folder, `${size}.db`);
  const script = join(import.meta.dirname, "sync-once.ts");
  const cost: SyncCost = JSON.parse(
    execFileSync(process.execPath, [script, db, root.path], { encoding: "utf8", maxBuffer: 1e8 }),
  );
  console.error(`${size} is indexed`);
  const index = new IndexProcess(db, [root.path]);
  const search = async (queries: readonly Query[]) =>
    (await index.search(queries, TURNS)).flatMap(({ ms }) => ms);
  const classes = await chooseQueries(root, db);
  const local = await openIndex({ db, roots: [root.path] });
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const tasks = [
    {
      name: "the newest 50 sessions",
      run: async () => {
        const ms: number[] = [];
        for (let turn = 0; turn < TURNS; turn++) ms.push(await timed(() => local.listAll({ limit: 50 })));
        return ms;
      },
    },
    ...classes.map(({ name, queries }) => ({ name: `search, ${name}`, run: () => search(queries) })),
    {
      name: "a typed key",
      run: () =>
        search(TYPED.flatMap((text) => Array.from(text, (_, n) => toKeyQuery(text.slice(0, n + 1)))).flat()),
    },
  ];
  return { root, cost, end: () => Promise.all([index.end(), local.close()]), tasks, times: new Map() };
}

/** What the picker and the page search for after a key; nothing if they compare titles. */
function toKeyQuery(text: string): Query[] {
  const typed = parseTypedQuery(text, { quick: true });
  return typed.by === "words" ? [{ text: typed.query, options: { quick: true } }] : [];
}

function report(all: readonly Measured[]): void {
  const [first] = all as [Measured];
  for (const { root, cost } of all) {
    const share = cost.databaseBytes / root.manifest.bytes;
    console.log(
      `${root.title}: ${root.manifest.files} sessions; first index ${(cost.ms / 1000).toFixed(0)} s, processor time ${(cost.cpuMs / 1000).toFixed(0)} s, peak memory ${(cost.peakRssBytes / 1e6).toFixed(0)} MB, database ${share.toFixed(3)} x the files`,
    );
  }
  for (const { name } of first.tasks) {
    const figures = all.map(({ times }) => times.get(name) ?? []);
    const ratio = (of: (ms: readonly number[]) => number) =>
      figures.map((ms) => (of(ms) / of(figures[0] ?? [])).toFixed(2)).join(" / ");
    const texts = figures.map((ms) => `${median(ms).toFixed(2)} (p95 ${p95(ms).toFixed(2)}) ms`);
    console.log(`| ${name} | ${texts.join(" | ")} | p50 ${ratio(median)} x | p95 ${ratio(p95)} x |`);
  }
}
