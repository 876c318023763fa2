import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import SQLite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { type Index, openIndex, type UsageDimension, type UsageOptions } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { type Dump, dumpTables } from "./dump.ts";
import { rebuilt } from "./index-at.ts";
import type { LedgerCase } from "./ledger-cases/case.ts";
import { CHECKPOINTS, COPIES } from "./ledger-cases/copies.ts";
import { FORKS } from "./ledger-cases/forks.ts";
import { KINDS, ONE_SESSION } from "./ledger-cases/one-session.ts";
import { PATHS } from "./ledger-cases/paths.ts";
import { PRIME } from "./ledger-cases/prime-agent.ts";
import { ROOTS } from "./ledger-cases/roots.ts";
import { SUBAGENTS, TASKS } from "./ledger-cases/subagents.ts";
import { TIMES } from "./ledger-cases/times.ts";
import { UNUSUAL_FILES } from "./ledger-cases/unusual-files.ts";
import { UNUSUAL_RUNS } from "./ledger-cases/unusual-runs.ts";
import { VERSION_1 } from "./ledger-cases/version-1.ts";
import { createFile } from "./ledger-files.ts";

/** The content of an index, independent of its history. */
function dumpDatabase(db: string): Dump {
  const handle = new SQLite(db, { readonly: false });
  try {
    return dumpTables(handle);
  } finally {
    handle.close();
  }
}

/** The files of a case below a folder: the roots, and a function per file that creates it. */
function createWorkspace({ files, roots = ["."] }: LedgerCase) {
  const root = join(temporaryFolder(), "sessions");
  const entries = Object.entries(files(root));
  for (const name of [...roots, ...entries.map(([path]) => dirname(path))])
    mkdirSync(join(root, name), { recursive: true });
  return {
    root,
    names: entries.map(([name]) => name),
    roots: roots.map((name) => join(root, name)),
    make: (name: string) => createFile(root, name, entries.find(([path]) => path === name)?.[1] ?? ""),
  };
}

/** The costs in an index, from every query that returns costs. */
async function queryCosts(index: Index) {
  const { total } = await index.usage();
  const own: number[] = [];
  const sessions = await index.listAll({ subagents: "yes", archived: "yes" });
  for (const { path } of sessions.sessions) own.push((await index.spend(path)).own.costUsd);
  const events: number[] = [];
  for await (const { costUsd } of index.usageEvents()) events.push(costUsd);
  const sums = async (by: UsageDimension) =>
    (await index.usage({ by: [by], timeZone: "UTC" })).rows.map(({ costUsd }) => costUsd);
  const since = await index.usage({ since: "0001-01-01", until: "9999-01-01" });
  const untimed = (await index.usage({ by: ["day"] })).rows.find(({ key }) => key.day === null)?.costUsd ?? 0;
  const costOf = async (options: UsageOptions) => (await index.usage(options)).total.costUsd;
  const time = "2026-01-05T09:02:30.001Z"; // within a 15-minute bucket, and between the responses of most cases
  const cut = [await costOf({ until: time }), await costOf({ since: time }), untimed];
  const projects = (await index.usage({ by: ["project"] })).rows.flatMap(({ key }) => key.project ?? []);
  const ofProjects = await Promise.all(projects.map((cwd) => costOf({ cwd })));
  const agents = [await costOf({ subagents: "no" }), await costOf({ subagents: "only" })];
  const branches = [await costOf({ branch: "current" }), await costOf({ branch: "abandoned" })];
  const sumOf = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0);
  return {
    total: total.costUsd,
    own: sumOf(own),
    events: sumOf(events),
    bySession: sumOf(await sums("session")),
    byDay: sumOf(await sums("day")),
    byModel: sumOf(await sums("model")),
    byProject: sumOf(await sums("project")),
    byTool: sumOf(await sums("tool")),
    byKind: sumOf(await sums("kind")),
    byAgent: sumOf(await sums("agent")),
    byBranch: sumOf(await sums("branch")),
    ofBothSpans: sumOf(cut),
    ofEachProject: sumOf(ofProjects),
    withAndWithoutSubagents: sumOf(agents),
    ofBothBranches: sumOf(branches),
    ofAllTime: since.total.costUsd + untimed,
    tokens: total.tokens.total,
  };
}

/** Number of steps in which the files of a case grow. */
const STEPS = 4;

/** Grows all files at once, line by line, with a sync after each step. Links come last, because their targets must exist. */
async function grow(index: Index, testCase: LedgerCase, root: string, make: (name: string) => void) {
  const files = Object.entries(testCase.files(root)).map(([name, file]) => {
    const lines = typeof file === "string" ? file.split(/(?<=\n)/) : [];
    return { name, lines, size: Math.ceil(lines.length / STEPS) };
  });
  for (let step = 0; step < STEPS; step++) {
    for (const { name, lines, size } of files) {
      const more = lines.slice(step * size, (step + 1) * size);
      if (more.length > 0) appendFileSync(join(root, name), more.join(""));
    }
    await index.sync();
  }
  for (const { name } of files) if (isLink(testCase, root, name)) make(name);
  await index.sync();
}

/** The figures and rows of an index that synced growing files must equal those of a new index. */
async function check(testCase: LedgerCase): Promise<void> {
  const { root, roots, make } = createWorkspace(testCase);
  const folder = join(root, "..");
  const db = join(folder, "index.db");
  const index = await openIndex({ db, roots });
  try {
    await grow(index, testCase, root, make);
    expect(dumpDatabase(db)).toEqual(await rebuilt(join(folder, "fresh.db"), roots));
    const { usd, tokens } = testCase;
    const { total, tokens: used, ...others } = await queryCosts(index);
    expect([total, used]).toEqual([usd, tokens]);
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, usd])));
    const { budget } = await index.usage({ budget: "100/year", now: "2026-06-01", timeZone: "UTC" });
    const months = (await index.usage({ by: ["month"], timeZone: "UTC" })).rows;
    const ofYear = months.filter(({ key }) => key.month?.startsWith("2026-"));
    expect(budget?.spentUsd).toBe(ofYear.reduce((sum, { costUsd }) => sum + costUsd, 0));
    for (const [name, ownUsd] of Object.entries(testCase.usdByFile ?? {}))
      expect((await index.spend(join(root, name))).own.costUsd, name).toBe(ownUsd);
    if (testCase.usdByDay) {
      const days = (await index.usage({ by: ["day"], timeZone: "UTC" })).rows;
      const costs = days.map(({ key, costUsd }) => [key.day ?? "", costUsd] as const);
      expect(Object.fromEntries(costs.filter(([, costUsd]) => costUsd > 0))).toEqual(testCase.usdByDay);
    }
    expect((await index.verify()).differenceCount).toBe(0);
  } finally {
    await index.close();
  }
  if (roots.length > 1) await checkRoots(testCase, db, roots);
}

/** A root has the same cost in an index of that root alone, whatever else a database contains. */
async function checkRoots({ usdByRoot }: LedgerCase, db: string, roots: readonly string[]): Promise<void> {
  const totals: number[] = [];
  for (const [n, root] of roots.entries()) {
    const one = await openIndex({ db, roots: [root] });
    const alone = await openIndex({ db: `${db}-${n}`, roots: [root] });
    try {
      await alone.sync();
      const costs = await queryCosts(one);
      expect(costs, root).toEqual(await queryCosts(alone));
      const { total, tokens, ...others } = costs;
      expect(others, root).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, total])));
      totals.push(total);
    } finally {
      await one.close();
      await alone.close();
    }
  }
  if (usdByRoot) expect(totals).toEqual(usdByRoot);
}

/** Adds files in reverse order, and removes them one by one: the rows must equal those of a new index each time. */
async function addAndRemove(testCase: LedgerCase): Promise<void> {
  const { names, root, roots, make } = createWorkspace(testCase);
  const folder = join(root, "..");
  const db = join(folder, "index.db");
  let rebuilds = 0;
  const index = await openIndex({ db, roots });
  const compare = async (when: string) => {
    await index.sync();
    const fresh = await rebuilt(join(folder, `fresh-${++rebuilds}.db`), roots);
    expect(dumpDatabase(db), when).toEqual(fresh);
  };
  try {
    // Targets of links must exist before the links.
    const order = names
      .toReversed()
      .sort((a, b) => Number(isLink(testCase, root, a)) - Number(isLink(testCase, root, b)));
    for (const name of order) {
      make(name);
      await compare(`${name} was added`);
    }
    expect((await index.usage()).total.costUsd).toBe(testCase.usd);
    for (const name of names.slice(0, -1)) {
      rmSync(join(root, name));
      await compare(`${name} was removed`);
    }
  } finally {
    await index.close();
  }
}

function isLink({ files }: LedgerCase, root: string, name: string): boolean {
  return typeof files(root)[name] !== "string";
}

describe.each([
  ["one session", ONE_SESSION],
  ["where usage is recorded", KINDS],
  ["forks and copies", FORKS],
  ["version 1 sessions", VERSION_1],
  ["subagents", SUBAGENTS],
  ["oh-my-pi's tasks", TASKS],
  ["prime-agent", PRIME],
  ["recorded paths of subagent sessions", PATHS],
  ["times", TIMES],
  ["checkpoints by OpenClaw", CHECKPOINTS],
  ["copies in another root", COPIES],
  ["several roots", ROOTS],
  ["unusual files", UNUSUAL_FILES],
  ["unusual runs", UNUSUAL_RUNS],
])("%s:", (_, cases) => {
  test.each(cases)("$name: $usd dollars, and the rows of a new index, after growing line by line", check);
  test.each(cases.filter((testCase) => Object.keys(testCase.files("/")).length > 1))(
    "$name: the same rows in any order of added and deleted files",
    addAndRemove,
  );
});
