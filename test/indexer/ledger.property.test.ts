import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Database } from "../../src/store/sqlite/open.ts";
import { STANDING } from "../../src/store/sqlite/schema.ts";
import { temporaryFolder } from "../temporary.ts";
import { openThrowaway, syncFolders } from "./index-at.ts";
import { blocks, naiveBlocks } from "./naive-blocks.ts";
import { type NaiveLedger, naiveLedger, type SumTable } from "./naive-ledger.ts";
import { type Step, steps, tameSteps, World } from "./world.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 25);
const STANDINGS = Object.fromEntries(Object.entries(STANDING).map(([name, code]) => [code, name]));

type Row = Record<string, unknown>;

/** A ledger as lines that can be compared. */
type Dump = Record<"event" | SumTable, string[]>;

const SPENT = ["path", "kind", "model", "agent", "tool", "stop", "current", "standing"];
const CALLED = ["path", "model", "tool", "stop", "current", "standing"];
const CALLS = ["calls", "answered", "failed", "tool_ms"];
const SUMS = ["billed", "messages", "turns", "compactions", "input", "output", "cache_read", "cache_write"];
SUMS.push("cache_write_1h", "reasoning", "cost", "provider_cost", "model_ms", "user_ms", ...CALLS);

/** What the tables hold, in the words of the naive ledger. */
function tables(db: Database): Dump {
  const summed = (table: SumTable, key: string[], sums: string[]) =>
    rowsOf(db, table)
      .map((row) => `${line(row, key)} = ${sums.map((name) => row[name])}`)
      .sort();
  return {
    event: rowsOf(db, "event")
      .map((row) => line(row, ["path", "line", "ordinal", "kind", "standing"]))
      .sort(),
    spending: summed("spending", ["quarter", ...SPENT], SUMS),
    quarter_spending: summed("quarter_spending", ["quarter", "path", "current", "standing"], SUMS),
    session_spending: summed("session_spending", SPENT, SUMS),
    session_total: summed("session_total", ["path", "current", "standing"], SUMS),
    tool_use: summed("tool_use", ["quarter", ...CALLED], CALLS),
    session_tool_use: summed("session_tool_use", CALLED, CALLS),
  };
}

function rowsOf(db: Database, table: keyof Dump): Row[] {
  const joins = [`JOIN file ON file.id = ${table}.file_id`];
  const columns = [`${table}.*`, "file.path"];
  if (table === "event") joins.push("JOIN entry ON entry.id = event.entry");
  if (table === "event") columns.push("entry.line");
  const hasModels = table !== "quarter_spending" && table !== "session_total";
  if (hasModels) joins.push("JOIN model ON model.id = model_id");
  if (hasModels) columns.push("model.provider || '/' || model.model AS model");
  const rows = db.writer.prepare(`SELECT ${columns.join(", ")} FROM ${table} ${joins.join(" ")}`);
  return (rows.safeIntegers().all() as Row[]).map((row) => ({
    ...row,
    standing: STANDINGS[String(row.standing)],
    quarter: quarterName(Number(row.quarter)),
    current: row.current === 1n,
  }));
}

function quarterName(quarter: number): string {
  const time = quarter * 900_000;
  if (Number.isNaN(time)) return "";
  return time < -8.64e15 ? "never" : new Date(time).toISOString();
}

/** Whose messages of a user are tasks: by where a file lies, or as another one tells. */
function subagents(db: Database): number[] {
  const told = db.writer.prepare(
    `SELECT entry.file_id, run_file.path FROM run_file JOIN entry ON entry.id = entry`,
  );
  const runs = told.all() as { file_id: number; path: string }[];
  const files = db.writer.prepare("SELECT id, path, subagent FROM file").all() as Record<string, unknown>[];
  return files
    .filter(
      ({ id, path, subagent }) => subagent === 1 || runs.some((r) => r.path === path && r.file_id !== id),
    )
    .map(({ id }) => id as number);
}

const line = (row: Row, names: string[]): string => names.map((name) => row[name]).join(" | ");

function dumpNaive({ events, sums }: NaiveLedger): Dump {
  const summed = Object.entries(sums).map(([table, rows]): [string, string[]] => [
    table,
    [...rows].map(([key, sum]) => `${key} = ${sum}`).sort(),
  ]);
  const event = events
    .map(({ path, line, ordinal, kind, standing }) => [path, line, ordinal, kind, standing].join(" | "))
    .sort();
  return { event, ...Object.fromEntries(summed) } as Dump;
}

/** Lets things happen to a world, and looks after each sync, and at the end. */
async function live(
  here: string,
  isTame: boolean,
  taken: Step[],
  look: (world: World, db: Database) => void,
): Promise<void> {
  const world = new World(join(here, "sessions"), isTame);
  mkdirSync(here, { recursive: true });
  const db = await openThrowaway(join(here, "index.db"));
  try {
    for (const step of [...taken, undefined]) {
      if (step) world.take(step);
      if (step && !step.sync) continue;
      await syncFolders(db, world.root);
      look(world, db);
    }
  } finally {
    await db.close();
    rmSync(here, { recursive: true, force: true });
  }
}

// PIDEX_RUNS=2000 looks harder: some minutes.
test("whose each act is, and what they add up to, is what the files tell", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, (taken) =>
      live(join(folder, String(++run)), false, taken, (world, db) => {
        expect(tables(db)).toEqual(dumpNaive(naiveLedger(world.root)));
        expect(blocks(db.writer).sort()).toEqual(naiveBlocks(db.writer, subagents(db)).sort());
      }),
    ),
    { numRuns: RUNS },
  );
}, 600_000);

test("what adds up is what was spent, however often it is told", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(tameSteps, (taken) =>
      live(join(folder, String(++run)), true, taken, (world, db) => {
        const sum = (table: string) =>
          db.writer
            .prepare(`SELECT coalesce(sum(cost), 0) FROM ${table} WHERE standing = ${STANDING.own}`)
            .pluck()
            .get();
        const spent = world.spent();
        const sums = ["event", "spending", "quarter_spending", "session_spending"].map(sum);
        expect(sums).toEqual([spent, spent, spent, spent]);
      }),
    ),
    { numRuns: RUNS },
  );
}, 600_000);
