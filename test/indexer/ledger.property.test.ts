import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ATTRIBUTION, SUMS } from "../../src/store/schema.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { ALL_FILES, ALL_FILES_AND_DAYS, bucketDay } from "../../src/store/usage-rollup.ts";
import { temporaryFolder } from "../temporary.ts";
import { openThrowaway, syncFolders } from "./index-at.ts";
import { type NaiveLedger, naiveLedger } from "./naive-ledger.ts";
import { rollupRows } from "./rollup-rows.ts";
import { RootSimulation, type Step, steps, tameSteps } from "./root-simulation.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 25);
const ATTRIBUTION_NAMES = Object.fromEntries(Object.entries(ATTRIBUTION).map(([name, code]) => [code, name]));

type Row = Record<string, unknown>;

/** A ledger as comparable lines. */
type Dump = Record<"event" | "rollup", string[]>;

const SERIES = ["path", "kind", "model", "agent", "tool", "stop", "current", "context"];

/** The ledger tables, in the format of the naive ledger. */
function tables(db: Database): Dump {
  return {
    event: eventRows(db)
      .map((row) => line(row, ["path", "line", "ordinal", "kind", "attribution"]))
      .sort(),
    rollup: dumpSums(quartersOfFiles(rolledUp(db)), ["quarter", ...SERIES]),
  };
}

function eventRows(db: Database): Row[] {
  const rows = db.writer.prepare(
    `SELECT event.*, file.path, entry.line FROM event JOIN file ON file.id = event.file_id
     JOIN entry ON entry.id = event.entry`,
  );
  return (rows.safeIntegers().all() as Row[]).map((row) => ({
    ...row,
    attribution: ATTRIBUTION_NAMES[String(row.attribution)],
  }));
}

function rolledUp(db: Database): Row[] {
  const namesOf = (sql: string) =>
    new Map(
      (db.writer.prepare(sql).all() as { id: number; name: string }[]).map(({ id, name }) => [id, name]),
    );
  const files = namesOf("SELECT id, path AS name FROM file");
  const models = namesOf("SELECT id, provider || '/' || model AS name FROM model");
  return rollupRows(db.writer).map((row) => ({
    ...row,
    path: files.get(row.file_id as number),
    model: models.get(row.model_id as number),
    day: bucketDay(row.quarter as number),
    quarter: quarterName(row.quarter as number),
    current: row.current === 1,
  }));
}

const quartersOfFiles = (rows: readonly Row[]): Row[] =>
  rows.filter(({ file_id, span }) => Number(file_id) > ALL_FILES && span === "quarter");

/** Sums by group; a group may contain several files or buckets. */
function dumpSums(rows: readonly Row[], by: readonly string[]): string[] {
  const groups = Map.groupBy(rows, (row) => line(row, by));
  return [...groups]
    .map(([key, group]) => {
      const sums = SUMS.map((name) => group.reduce((sum, row) => sum + (row[name] as number), 0));
      return `${key} = ${sums}`;
    })
    .sort();
}

/** The same, without groups in which every sum is 0: the sums of days and of all files omit those. */
const dumpSpent = (rows: readonly Row[], by: readonly string[]): string[] =>
  dumpSums(rows, by).filter((text) => !/ = 0(,0)*$/.test(text));

/** Asserts that the sums of days, and those of all files, are the sums of their parts. */
function expectConsistentSums(db: Database): void {
  const rows = rolledUp(db);
  const parts = quartersOfFiles(rows);
  const withoutFile = SERIES.filter((name) => name !== "path");
  const ofAllDays = rows.filter(({ file_id }) => file_id === ALL_FILES_AND_DAYS);
  expect(dumpSpent(ofAllDays, withoutFile)).toEqual(dumpSpent(parts, withoutFile));
  for (const span of ["quarter", "day"]) {
    const ofSpan = rows.filter((row) => row.span === span && row.file_id !== ALL_FILES_AND_DAYS);
    const [ofAll, ofFiles] = [true, false].map((isAll) =>
      ofSpan.filter(({ file_id }) => (file_id === ALL_FILES) === isAll),
    ) as [Row[], Row[]];
    const time = span === "day" ? "day" : "quarter";
    expect(dumpSpent(ofFiles, [time, ...SERIES])).toEqual(dumpSpent(parts, [time, ...SERIES]));
    expect(dumpSpent(ofAll, [time, ...withoutFile])).toEqual(dumpSpent(parts, [time, ...withoutFile]));
    expect(dumpSpent(ofAll, [time, ...withoutFile])).toHaveLength(ofAll.length);
  }
}

function quarterName(quarter: number): string {
  const time = quarter * 900_000;
  if (Number.isNaN(time)) return "";
  return time < -8.64e15 ? "never" : new Date(time).toISOString();
}

const line = (row: Row, names: readonly string[]): string => names.map((name) => row[name]).join(" | ");

function dumpNaive({ events, rollup }: NaiveLedger): Dump {
  const event = events
    .map(({ path, line, ordinal, kind, attribution }) => [path, line, ordinal, kind, attribution].join(" | "))
    .sort();
  return { event, rollup: [...rollup].map(([key, sums]) => `${key} = ${sums}`).sort() };
}

/** Applies steps to a simulated root, and calls `check` after each sync and at the end. */
async function live(
  here: string,
  isTame: boolean,
  taken: Step[],
  look: (simulation: RootSimulation, db: Database) => void,
): Promise<void> {
  const simulation = new RootSimulation(join(here, "sessions"), isTame);
  mkdirSync(here, { recursive: true });
  const db = await openThrowaway(join(here, "index.db"));
  try {
    for (const step of [...taken, undefined]) {
      if (step) simulation.take(step);
      if (step && !step.sync) continue;
      await syncFolders(db, simulation.root);
      look(simulation, db);
    }
  } finally {
    await db.close();
    rmSync(here, { recursive: true, force: true });
  }
}

// PIDEX_RUNS=2000 tests more cases and takes some minutes.
test("attributions and sums match the files", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, (taken) =>
      live(join(folder, String(++run)), false, taken, (simulation, db) => {
        expect(tables(db)).toEqual(dumpNaive(naiveLedger(simulation.root)));
        expectConsistentSums(db);
      }),
    ),
    { numRuns: RUNS },
  );
}, 600_000);

test("the sums are the amount spent, however often it is recorded", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(tameSteps, (taken) =>
      live(join(folder, String(++run)), true, taken, (simulation, db) => {
        const inEvents = db.writer
          .prepare(`SELECT coalesce(sum(cost), 0) FROM event WHERE attribution = ${ATTRIBUTION.owner}`)
          .pluck()
          .get();
        const inRollup = quartersOfFiles(rolledUp(db)).reduce((sum, { cost }) => sum + (cost as number), 0);
        const spent = simulation.getTotalCost();
        expect([inEvents, inRollup]).toEqual([spent, spent]);
      }),
    ),
    { numRuns: RUNS },
  );
}, 600_000);
